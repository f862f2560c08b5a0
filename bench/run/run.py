"""Measures headless runs; see README.md beside this file."""

import argparse
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
INPUTS = json.loads((ROOT / "examples/stories/inputs.json").read_text(encoding="utf-8"))["inputs"]


def target_folder():
    metadata = subprocess.run(
        ["cargo", "metadata", "--format-version", "1", "--no-deps"], cwd=ROOT, capture_output=True, check=True
    )
    return pathlib.Path(json.loads(metadata.stdout)["target_directory"])


def measure(command, **options):
    """Wall seconds, CPU seconds and peak resident MiB of one process and what it waited for."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    # What they print is far below what a pipe holds; wait4 gives the usage of this child alone.
    out, err = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{command} ended with {process.returncode}:\n{err.decode()[-2000:]}")
    return {
        "seconds": seconds,
        "cpu": usage.ru_utime + usage.ru_stime,
        "mib": usage.ru_maxrss / 1024,
        "out": out.decode(),
    }


def write_cases(folder, count):
    """Cases and recorded outputs: the stories of the bundled agent, flawed for every other input."""
    pawl = target_folder() / "release/pawl"
    stories = {}
    for flag in ([], ["--flawed"]):
        requests = "".join(
            json.dumps({"id": item["id"], "input": item, "vars": {}, "trial": 1, "prompt": None}) + "\n" for item in INPUTS
        )
        answers = subprocess.run([pawl, "story-agent", *flag], input=requests.encode(), capture_output=True, check=True)
        stories[bool(flag)] = [json.loads(line)["output"] for line in answers.stdout.splitlines()]
    cases, outputs = folder / f"cases-{count}.jsonl", folder / f"outputs-{count}.jsonl"
    with cases.open("w", encoding="utf-8") as case_file, outputs.open("w", encoding="utf-8") as output_file:
        for number in range(count):
            item = INPUTS[number % len(INPUTS)]
            case = {"id": f"case_{number:07}", "role": item["role"], "goal": item["goal"], "benefit": item["benefit"]}
            case_file.write(json.dumps(case, ensure_ascii=False) + "\n")
            story = stories[number % 2 == 0][number % len(INPUTS)]
            output_file.write(json.dumps({"id": case["id"], "output": story}, ensure_ascii=False) + "\n")
    return cases, outputs


def median(samples, key):
    return statistics.median(sample[key] for sample in samples)


class Bench:
    def __init__(self, folder, rounds):
        self.folder, self.rounds = folder, rounds
        self.release = target_folder() / "release"
        self.pawl = self.release / "pawl"
        self.lines = []

    def say(self, line=""):
        print(line, flush=True)
        self.lines.append(line)

    def pawl_run(self, cases, outputs, data):
        command = [self.pawl, "run", cases, "--outputs", outputs, "--checks", "user-story", "--data", data]
        return [str(part) for part in command]

    def recorded(self):
        cases, outputs = write_cases(self.folder, 10_000)
        data = self.folder / "recorded"
        ours, loop = [], []
        for _ in range(self.rounds):
            ours.append(measure(self.pawl_run(cases, outputs, data)))
            loop.append(measure([sys.executable, str(HERE / "plain_loop.py"), str(cases), str(outputs)]))
        ratio = median(loop, "seconds") / median(ours, "seconds")
        self.say("| 10,000 recorded stories × 8 checks, whole process | seconds | cases/s | CPU s | peak MiB |")
        self.say("|---|--:|--:|--:|--:|")
        for name, samples in (("pawl run, stored durably", ours), ("plain Python loop, nothing stored", loop)):
            seconds = median(samples, "seconds")
            self.say(
                f"| {name} | {seconds:.3f} | {10_000 / seconds:,.0f} | {median(samples, 'cpu'):.3f} "
                f"| {max(sample['mib'] for sample in samples):.0f} |"
            )
        self.say(f"\n**{ratio:.2f} × the rate of the plain loop** (goal: at least 1)\n")

        loop_checks = json.loads(
            measure([sys.executable, str(HERE / "plain_loop.py"), "--checks-only", str(outputs), str(self.rounds)])["out"]
        )
        our_checks = json.loads(
            measure([str(self.release / "examples/story_rate"), str(outputs), str(self.rounds)])["out"]
        )
        self.say("| the eight checks alone, in process, best round | µs per story | stories that fail |")
        self.say("|---|--:|--:|")
        for name, result in (("pawl-checks, one thread", our_checks), ("plain Python loop", loop_checks)):
            self.say(f"| {name} | {result['seconds'] / result['stories'] * 1e6:.2f} | {result['failed']:,} |")
        ratio = loop_checks["seconds"] / our_checks["seconds"]
        self.say(f"\n**{ratio:.1f} × the loop's rate** (goal: at least 10)\n")

    def one_case(self):
        cases, outputs = write_cases(self.folder, 1)
        data = self.folder / "one"
        samples = [measure(self.pawl_run(cases, outputs, data)) for _ in range(max(self.rounds, 9))]
        self.say(f"One case, whole process: median {median(samples[1:], 'seconds') * 1e3:.1f} ms, ")
        self.say(f"first one, which makes the database, {samples[0]['seconds'] * 1e3:.1f} ms (goal: under 50 ms)\n")

    def memory(self):
        self.say("| recorded cases | seconds | cases/s | peak MiB | database MiB |")
        self.say("|--:|--:|--:|--:|--:|")
        for count in (10_000, 100_000, 1_000_000):
            cases, outputs = write_cases(self.folder, count)
            data = self.folder / f"memory-{count}"
            sample = measure(self.pawl_run(cases, outputs, data))
            size = sum(file.stat().st_size for file in data.iterdir()) / 2**20
            self.say(
                f"| {count:,} | {sample['seconds']:.1f} | {count / sample['seconds']:,.0f} | {sample['mib']:.0f} | {size:,.0f} |"
            )
            for path in (cases, outputs):
                path.unlink()
            shutil.rmtree(data)
        self.say()

    def promptfoo(self, count):
        folder = self.folder / "promptfoo"
        folder.mkdir()
        subprocess.run(
            ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, "promptfoo"], check=True
        )
        version = json.loads((folder / "node_modules/promptfoo/package.json").read_text())["version"]
        # The same four assertions for each case, once as the default of all tests and once with each test.
        assertions = [
            {"type": "contains", "value": "case "},
            {"type": "icontains", "value": "CASE"},
            {"type": "regex", "value": "case [0-9]+: \\w"},
            {"type": "not-contains", "value": "<script>"},
        ]
        texts = [{"text": f"case {number}: {INPUTS[number % 40]['goal']}"} for number in range(count)]
        shared = {"defaultTest": {"assert": assertions}, "tests": [{"vars": text} for text in texts]}
        own = {"tests": [{"vars": text, "assert": [*assertions, {"type": "contains", "value": text["text"]}]} for text in texts]}
        for name, suite in (("4 assertions for all cases", shared), ("5 assertions of each case's own", own)):
            self.echo(folder, f"{count:,} echoed cases, {name}", {"description": "echo", "prompts": ["{{text}}"], "providers": ["echo"], **suite}, version)

    def echo(self, folder, title, suite, version):
        count = len(suite["tests"])
        config = folder / "promptfooconfig.json"
        config.write_text(json.dumps(suite))
        environment = {
            **os.environ,
            "PROMPTFOO_DISABLE_TELEMETRY": "1",
            "PROMPTFOO_DISABLE_UPDATE": "1",
            "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
            "PROMPTFOO_CONFIG_DIR": str(folder / "config"),
        }
        theirs_command = [
            "node", str(folder / "node_modules/promptfoo/dist/src/main.js"), "eval", "-c", str(config), "--no-cache",
            "--no-progress-bar", "--no-table", "-o", str(folder / "results.json"),
        ]
        if not pathlib.Path(theirs_command[1]).exists():
            theirs_command[:2] = [str(folder / "node_modules/.bin/promptfoo")]
        ours_command = [
            str(self.pawl), "run", str(config), "--data", str(folder / "data"), "--format", "json",
            "--output", str(folder / "ours.json"),
        ]
        ours, theirs = [], []
        for _ in range(3):
            ours.append(measure(ours_command))
            theirs.append(measure(theirs_command, env=environment, cwd=folder))
        results = json.loads((folder / "results.json").read_text())["results"]["stats"]
        assert results["successes"] == count, results
        mine = json.loads((folder / "ours.json").read_text())["runs"][0]["summary"]
        assert mine["passed"] == count, mine
        self.say(f"| {title}, whole process | seconds | cases/s | CPU s | peak MiB |")
        self.say("|---|--:|--:|--:|--:|")
        for name, samples in (("pawl run", ours), (f"promptfoo {version}", theirs)):
            seconds = median(samples, "seconds")
            self.say(
                f"| {name} | {seconds:.3f} | {count / seconds:,.0f} | {median(samples, 'cpu'):.2f} "
                f"| {max(sample['mib'] for sample in samples):.0f} |"
            )
        ratio = median(theirs, "seconds") / median(ours, "seconds")
        self.say(f"\n**{ratio:.0f} × promptfoo's rate** (goal: at least 50)\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--skip", nargs="*", default=[], choices=["recorded", "one_case", "memory", "promptfoo"])
    parser.add_argument("--promptfoo-cases", type=int, default=2_000)
    parser.add_argument("--folder", help="where the files go [default: a temporary folder]")
    arguments = parser.parse_args()
    subprocess.run(["cargo", "build", "--release", "-p", "pawl"], cwd=ROOT, check=True)
    subprocess.run(["cargo", "build", "--release", "-p", "pawl-checks", "--example", "story_rate"], cwd=ROOT, check=True)
    folder = pathlib.Path(arguments.folder or tempfile.mkdtemp(prefix="pawl-bench-"))
    folder.mkdir(parents=True, exist_ok=True)
    bench = Bench(folder, arguments.rounds)
    cpu = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), platform.machine())
    bench.say(f"{time.strftime('%Y-%m-%d')} · {os.cpu_count()} cores, {cpu} · Python {platform.python_version()}\n")
    for part in ("recorded", "one_case", "memory", "promptfoo"):
        if part not in arguments.skip:
            getattr(bench, part)(*([arguments.promptfoo_cases] if part == "promptfoo" else []))
    if not arguments.skip:
        (HERE / "RESULTS.md").write_text("# Results\n\n" + "\n".join(bench.lines).rstrip() + "\n", encoding="utf-8")
    if not arguments.folder:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
