"""Measures masking; see README.md beside this file."""

import argparse
import datetime
import json
import os
import pathlib
import platform
import random
import subprocess
import tempfile
import uuid

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CORPUS = ROOT / "crates/pawl-checks/tests/it/mask"
SIZE = 16 << 20
PIECE = 2_000

WORDS = """the agent order refund was not able to find your account so it asked again and offered a return label within
days please check status of delivery because customer wrote that parcel never arrived we changed address on file then
closed ticket with note about policy exception granted by team lead after review of history which shows two earlier
claims for same item size colour blue large shipping cost free over limit""".split()


def repeat_to_size(pieces):
    """Lines of JSON strings, so many that they hold SIZE bytes."""
    lines, size = [], 0
    while size < SIZE:
        for piece in pieces:
            lines.append(json.dumps(piece, ensure_ascii=False))
            size += len(piece.encode())
    return lines


def prose():
    """The manual of this repository, in pieces of the length of an interaction."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("docs/*.md"))]
    text = "\n".join([(ROOT / "README.md").read_text(encoding="utf-8"), *texts])
    return repeat_to_size([text[at : at + PIECE] for at in range(0, len(text), PIECE)])


def conversations(chance):
    """Random answers of a support agent; one in so many sentences is a sample with personal data."""
    source = random.Random(7)
    lines = (CORPUS / "positives.jsonl").read_text(encoding="utf-8").splitlines()
    marked = [json.loads(line)["text"].replace("‸", "") for line in lines]
    samples = ["".join(part.split(":", 1)[-1] for part in text.replace("⟧", "⟦:").split("⟦")) for text in marked]
    pieces = []
    for _ in range(2_000):
        sentences = []
        while sum(map(len, sentences)) < PIECE:
            if source.random() < chance:
                sentences.append(source.choice(samples))
            words = source.choices(WORDS, k=source.randint(5, 18))
            number = source.choice([""] * 6 + [f" {source.randint(1, 99)}", f" ${source.randint(1, 999)}.50", " #88213"])
            sentences.append(" ".join(words).capitalize() + number + ".")
        pieces.append(" ".join(sentences))
    return repeat_to_size(pieces)


def logs():
    """Lines of a service: times, ids, durations."""
    source = random.Random(8)
    start = datetime.datetime(2026, 11, 1)
    pieces = []
    for _ in range(2_000):
        lines = []
        while sum(map(len, lines)) < PIECE:
            start += datetime.timedelta(milliseconds=source.randint(1, 9_000))
            request = uuid.UUID(int=source.getrandbits(128), version=4)
            lines.append(
                f"{start.isoformat(timespec='milliseconds')}Z INFO worker-{source.randint(1, 8)} request={request} "
                f"status={source.choice([200, 200, 201, 404, 500])} took={source.random() * 900:.3f}ms "
                f"order={source.randint(10**7, 10**8)} {' '.join(source.choices(WORDS, k=6))}"
            )
        pieces.append("\n".join(lines))
    return repeat_to_size(pieces)


def documents():
    """Arguments and results of tool calls as JSON texts."""
    source = random.Random(9)
    pieces = []
    for _ in range(2_000):
        items = []
        while sum(len(json.dumps(item)) for item in items) < PIECE:
            items.append(
                {
                    "order_id": source.randint(10**7, 10**8),
                    "state": source.choice(["paid", "shipped", "returned"]),
                    "total": round(source.random() * 500, 2),
                    "created_at": "2026-11-28T09:14:55Z",
                    "note": " ".join(source.choices(WORDS, k=14)),
                }
            )
        pieces.append(json.dumps({"tool": "lookup", "result": items}))
    return repeat_to_size(pieces)


def many_languages():
    """The samples of the corpus that hold no personal data."""
    lines = (CORPUS / "negatives.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    random.Random(10).shuffle(texts)
    text = "\n".join(texts)
    return repeat_to_size([text[at : at + PIECE] for at in range(0, len(text), PIECE)])


KINDS = {
    "prose": prose,
    "conversations": lambda: conversations(0),
    "conversations, personal data in few": lambda: conversations(0.006),
    "conversations, personal data in all": lambda: conversations(0.2),
    "logs": logs,
    "JSON of tool calls": documents,
    "hard negatives in many languages": many_languages,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    metadata = subprocess.run(
        ["cargo", "metadata", "--format-version", "1", "--no-deps"], cwd=ROOT, capture_output=True, check=True
    )
    target = pathlib.Path(json.loads(metadata.stdout)["target_directory"])
    program = target / "release/examples/mask_rate"
    out = ["# Results", "", f"{datetime.date.today()} · {os.cpu_count()} cores, {platform.machine()}, one thread", ""]
    out.append("| 16 MiB of texts of 2,000 characters | texts with findings | MB/s | rate : regular expressions | rate : plain copy |")
    out.append("|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, make in KINDS.items():
            path = pathlib.Path(folder) / "texts.jsonl"
            path.write_text("\n".join(make()), encoding="utf-8")
            measured = subprocess.run([program, path, str(rounds)], capture_output=True, check=True)
            result = json.loads(measured.stdout)
            seconds = {key: result[key]["seconds"] for key in ("pawl", "regex", "copy")}
            out.append(
                f"| {name} | {result['pawl']['changed'] / result['texts']:.0%} "
                f"| {result['bytes'] / seconds['pawl'] / 1e6:,.0f} | {seconds['regex'] / seconds['pawl']:.1f} "
                f"| {seconds['copy'] / seconds['pawl']:.1%} |"
            )
            print(out[-1], flush=True)
    (HERE / "RESULTS.md").write_text("\n".join(out) + "\n", encoding="utf-8")


main()
