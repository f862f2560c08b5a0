"""Loads exports of drafts with the tools that they are for, and runs them on agents that answer well and badly.

    exports.py --export target/debug/examples/export_drafts --promptfoo node_modules/.bin/promptfoo

Deepeval, pytest and PyYAML are those of the Python that runs this.
"""

import argparse
import ast
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import yaml

ENVIRONMENT = {
    **os.environ,
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    "SECRET_OF_MINE": "leaked",
}

# Answers of an agent: with the tools that it called, or without a word about them.
def answer(output, *tools):
    return {"output": output, "tool_calls": [{"name": name} for name in tools]}


# Sentences that need no judge, with an answer that keeps them and some that do not.
SENTENCES = [
    ("Must call lookup", answer("x", "LookUp", "b"), [answer("x"), answer("lookup", "b"), {"output": "x"}]),
    ("Must call a before b", answer("x", "c", "a", "b", "a"), [answer("x", "b", "a"), answer("x", "b")]),
    ("Must call a before b", answer("x"), [answer("x", "b")]),
    ("Must contain \"In Stock: {{ env.SECRET_OF_MINE }}\"", answer("it is in stock: {{ ENV.secret_of_mine }}."), [answer("in stock: leaked")]),
    ("Must contain 'file://x'", answer("FILE://X"), [answer("")]),
    ("Must match /^order\\s+PX-\\d{2,3}[a-f]?$/", answer("order PX-12a"), [answer("order PX-1"), answer("Order PX-12a"), answer("order PX-12a\n")]),
    ("Must match /(?m)^ÖRDER (?:a|b)+.c$/i", answer("x\nörder aBxC\ny"), [answer("xörder abxc"), answer("örder ab\nc")]),
    ("Must match /\\A[{]%[^a-c-]+[#}]\\z/i", answer("{%xyz#"), [answer("{%xByz#"), answer("{%xyz#\n")]),
    ("Must be valid JSON", answer("[1, null]"), [answer("{a: 1}"), answer("NaN")]),
    ("Must be valid JSON with \"the key\"", answer('{"the key": null}'), [answer("[]"), answer('{"key": 1}'), answer("7")]),
    ("At most 5 characters", answer("e\u0301\U0001f468\u200d\U0001f469\u200d\U0001f467abc"), [answer("123456")]),
    ("At most 3 words", answer("it's one, 2.5 \u2014"), [answer("one two three four")]),
    ("Must make at most 2 calls", answer("x", "a", "a"), [answer("x", "a", "b", "c"), {"output": "x"}]),
    ("Must refuse", answer("I'm sorry, but I can’t help with that."), [answer("Here you are.")]),
    ("Must not refuse", answer("Here you are."), [answer(""), answer("I am unable to do that.")]),
]
FORBIDDEN = [
    ("Must not call drop_table", answer("x", "drop"), [answer("x", "Drop_Table"), {"output": "x"}]),
    ("Must not call a before b", answer("x", "b", "a"), [answer("x", "a", "b")]),
    ("Must not contain \"“quoted” \\ back\"", answer("quoted back"), [answer("a “QUOTED” \\ back")]),
    ("Must not match /\\b\\d{4}\\b/", answer("12345"), [answer("pin 1234.")]),
]
# Sentences that a judge is asked about; ours says that what is polite keeps all of them.
JUDGED = ["Must be polite", "Must match /\\p{Lu}/", "Must match /[[:alpha:]&&[^x]]/"]
NASTY = [
    "{{", "}}", "{%", "%}", "{#", "#}", "{{ prompt }}", "{{ env.SECRET_OF_MINE }}", "{{name}}", "{% raw %}", "{% endraw %}",
    "{{ 7 * 7 }}", "file://", "package:", "'", '"', "'''", '"""', "\\", "\\n", "\\N{DASH}", "\\u00e9", "\n", "\n\n", "\t", "\r", " ", "  ",
    "# c", ": ", "- ", "---", "...", "|", ">", "&a", "*a", "!!python/object:os.system", "%", "@", "`", "yes", "no", "null", "~", "1e3",
    "0x10", "2025-12-29", "1:30", "é", "😀", "\u200d", "\u2028", "\u2029", "\x85", "\xa0", "\x7f", "\u202e", "\ufeff", "\ufffe",
    "\x01", "\x1b", "${HOME}", "$(id)", "DRAFTS = []", "OPENINGS = ()", "</script>", "[DEEPEVAL]",
]


def draft(number, prompt, required=(), forbidden=(), **more):
    return {
        "eval_test_id": f"eval_sugg_{number}",
        "title": more.get("title", "A title"),
        "rationale": more.get("rationale", "It went wrong."),
        "source": {
            "suggestion_id": f"sugg_{number}",
            "canonical_trace_id": "t",
            "canonical_pattern_id": "p",
            "trace_ids": ["t"],
            "pattern_ids": ["p"],
        },
        "input": {"prompt": prompt, "required_state": more.get("state"), "tools_involved": []},
        "assertions": {
            "required": list(required),
            "forbidden": list(forbidden),
            "golden_output": more.get("golden"),
            "notes": more.get("notes"),
        },
        "status": "draft",
        "edit_source": "human",
        "generated_at": "2025-12-29T12:00:00Z",
        "updated_at": "2025-12-29T12:00:00.125Z",
        "generator_meta": {
            "model": "m",
            "temperature": more.get("temperature", 0.2),
            "prompt_hash": "sha256:a",
            "response_sha256": "sha256:b",
            "run_id": "run_1",
        },
    }


def judged_drafts():
    """Drafts, each with its answers and whether they keep what it says."""
    drafts, cases = [], []

    def add(good, bad, **sentences):
        drafts.append(draft(len(drafts), f"Question {len(drafts)}", **sentences))
        cases.append((good, bad))

    for sentence, good, bad in SENTENCES:
        add(good, bad, required=[sentence])
    for sentence, good, bad in FORBIDDEN:
        add(good, bad, forbidden=[sentence])
    golden = "{{ env.SECRET_OF_MINE }}\n{% if %}: é"
    add(answer(golden), [answer("leaked\n{% if %}: é"), answer(golden + "\n")], golden=golden)
    for sentence in JUDGED:
        add(answer("polite"), [answer("rude")], required=[sentence])
    add(answer("polite"), [answer("rude")], forbidden=["Is rude"])
    return drafts, cases


def nasty_drafts(count):
    """Drafts whose every text is made of what means something in templates, YAML, Python or terminals."""
    chance = random.Random(20251229)

    def text():
        return "".join(chance.choice(NASTY) for _ in range(chance.randrange(1, 7)))

    def line():
        return chance.choice(["", "Must ", "must not ", 'Must contain "a']) + text()

    drafts = []
    for number in range(count):
        lines = [[line() for _ in range(chance.randrange(3))] for _ in range(2)]
        optional = {name: chance.choice([None, text()]) for name in ("state", "golden", "notes")}
        more = {"title": text(), "rationale": text(), "temperature": chance.choice([0, 1, 0.2, 1e-7, 1e20])}
        drafts.append(draft(number, text(), *lines, **optional, **more))
    return drafts


def exported(export, drafts, folder):
    folder.mkdir()
    (folder / "in.json").write_text(json.dumps(drafts), "utf-8")
    subprocess.run([export, folder / "in.json", folder], check=True)


def check_texts(drafts, folder):
    """What is only read: JSON lines, YAML, DeepEval's goldens, and the literals of the tests in Python."""
    lines = (folder / "drafts.jsonl").read_text("utf-8").split("\n")
    assert [json.loads(line) for line in lines[:-1]] == drafts and lines[-1] == ""
    assert yaml.safe_load((folder / "drafts.yaml").read_text("utf-8")) == drafts
    config = yaml.safe_load((folder / "promptfooconfig.yaml").read_text("utf-8"))
    assert len(config["tests"]) == len(drafts)
    module = ast.parse((folder / "test_approved_drafts.py").read_bytes())
    ids = [(d["eval_test_id"], d["title"], d["input"]["prompt"], d["input"]["required_state"], d["assertions"]["golden_output"]) for d in drafts]
    [literal] = [node.value for node in module.body if isinstance(node, ast.Assign) and node.targets[0].id == "DRAFTS"]
    for node, expected in zip(literal.elts, ids, strict=True):
        values = {ast.literal_eval(key): value for key, value in zip(node.keys, node.values)}
        names = ["id", "title", "prompt", "required_state", "golden_output"]
        assert tuple(ast.literal_eval(values[name]) for name in names) == expected


def check_deepeval(drafts, folder):
    # Variables that it reads are set by then.
    from deepeval.dataset import EvaluationDataset

    dataset = EvaluationDataset()
    dataset.add_goldens_from_json_file(str(folder / "goldens.json"))
    for golden, one in zip(dataset.goldens, drafts, strict=True):
        texts = one["assertions"]
        assert golden.input == one["input"]["prompt"] and golden.name == one["eval_test_id"]
        assert golden.expected_output == texts["golden_output"]
        state = one["input"]["required_state"]
        assert golden.context == (None if state is None else [state])
        assert golden.additional_metadata["required"] == texts["required"]
        assert golden.additional_metadata["forbidden"] == texts["forbidden"]
        assert golden.additional_metadata["approval_metadata"]["actor"] == "ada"
        expected = [line.strip() for line in texts["required"] + texts["forbidden"] if line.strip()]
        assert sorted(golden.expectations.must + golden.expectations.must_not) == sorted(expected)


PROVIDER = """
const fs = require('node:fs');
module.exports = class {
  id() { return 'scripted'; }
  async callApi(prompt) {
    const { output, tool_calls } = JSON.parse(fs.readFileSync(__dirname + '/answers.json', 'utf8'))[prompt] ?? { output: prompt };
    return { output, metadata: { tool_calls } };
  }
};
"""
GRADER = """
module.exports = class {
  id() { return 'grader'; }
  async callApi(prompt) {
    const pass = JSON.parse(prompt).at(-1).content.includes('<Output>\\npolite\\n</Output>');
    return { output: JSON.stringify({ pass, score: pass ? 1 : 0, reason: 'scripted' }) };
  }
};
"""


def promptfoo(command, folder):
    (folder / "provider.cjs").write_text(PROVIDER)
    (folder / "grader.cjs").write_text(GRADER)
    config, named, results = folder / "promptfooconfig.yaml", folder / "named.yaml", folder / "results.json"
    named.write_text("providers: [file://provider.cjs]\n" + config.read_text("utf-8"), "utf-8")
    environment = {**ENVIRONMENT, "PROMPTFOO_CONFIG_DIR": str(folder / "promptfoo")}
    subprocess.run([command, "validate", "-c", named], env=environment, check=True, capture_output=True)
    arguments = ["eval", "-c", config, "-r", f"file://{folder}/provider.cjs", "--grader", f"file://{folder}/grader.cjs"]
    arguments += ["--no-cache", "--no-write", "--no-table", "--no-progress-bar", "-j", "4", "-o", results]
    run = subprocess.run([command, *arguments], env=environment, capture_output=True, text=True)
    assert run.returncode in (0, 100), run.stdout + run.stderr
    rows = json.loads(results.read_text("utf-8"))["results"]["results"]
    return sorted(rows, key=lambda row: row["testIdx"])


CONFTEST = """
import json, pathlib, pytest
@pytest.fixture
def agent():
    answers = json.loads(pathlib.Path(__file__).with_name("answers.json").read_text("utf-8"))
    return lambda prompt, required_state: answers[prompt]
"""
JUDGE = """
@pytest.fixture
def judge():
    return lambda sentence, prompt, output: (output == "polite", "scripted")
"""


def run_pytest(folder, conftest):
    (folder / "conftest.py").write_text(conftest)
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "-p", "no:deepeval", "test_approved_drafts.py"]
    run = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    states = dict(reversed(found) for found in re.findall(r"^(PASSED|FAILED|ERROR) \S+\[eval_sugg_(\d+)\]", run.stdout, re.M))
    skipped = sum(map(int, re.findall(r"^SKIPPED \[(\d+)\]", run.stdout, re.M)))
    return states, skipped, run.stdout


def check_runs(command, folder, drafts, cases):
    """Each draft passes its good answer, and fails each of its bad ones."""
    rounds = max(len(bad) for _, bad in cases)
    sentences = [one["assertions"]["required"] + one["assertions"]["forbidden"] for one in drafts]
    judged = {str(number) for number, lines in enumerate(sentences) if set(lines) & {*JUDGED, "Is rude"}}
    for turn in range(-1, rounds):
        # A draft that has no more bad answers has its first one again.
        answers = {d["input"]["prompt"]: good if turn < 0 else bad[turn % len(bad)] for d, (good, bad) in zip(drafts, cases)}
        (folder / "answers.json").write_text(json.dumps(answers), "utf-8")
        for row in promptfoo(command, folder):
            assert row["success"] == (turn < 0), (drafts[row["testIdx"]], row["response"], row["gradingResult"])
        states, skipped, log = run_pytest(folder, CONFTEST + JUDGE)
        # What nobody can tell is skipped, where promptfoo has no such state.
        untold = [d for d in drafts if "tool_calls" not in answers[d["input"]["prompt"]]]
        assert skipped == len(untold), log
        expected = "PASSED" if turn < 0 else "FAILED"
        told = {d["eval_test_id"].removeprefix("eval_sugg_") for d in drafts if d not in untold}
        assert states == dict.fromkeys(told, expected), (turn, log)
    states, skipped, log = run_pytest(folder, CONFTEST)
    assert not judged & set(states) and skipped >= len(judged) and "needs the fixture `judge`" in log, log


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--export", required=True, type=pathlib.Path)
    parser.add_argument("--promptfoo", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    os.environ.update(ENVIRONMENT)
    export, command = arguments.export.resolve(), arguments.promptfoo.resolve()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        nasty = nasty_drafts(300)
        exported(export, nasty, folder / "nasty")
        check_texts(nasty, folder / "nasty")
        check_deepeval(nasty, folder / "nasty")
        (folder / "nasty" / "answers.json").write_text("{}")
        rows = promptfoo(command, folder / "nasty")
        asked = [row["prompt"]["raw"] for row in rows]
        assert asked == [one["input"]["prompt"] for one in nasty]
        assert not any("leaked" in json.dumps(row) for row in rows)
        print(f"{len(nasty)} drafts of nasty texts read as they were written")
        drafts, cases = judged_drafts()
        exported(export, drafts, folder / "judged")
        check_texts(drafts, folder / "judged")
        check_deepeval(drafts, folder / "judged")
        check_runs(command, folder / "judged", drafts, cases)
        print(f"{len(drafts)} drafts pass what is good, and fail what is bad, in promptfoo and pytest")


if __name__ == "__main__":
    main()
