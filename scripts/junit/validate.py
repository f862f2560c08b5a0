#!/usr/bin/env python3
"""Validates JUnit XML with the schema of Jenkins' xUnit plugin, and by what the schema leaves open.

    python3 -m venv .venv && .venv/bin/pip install -r scripts/junit/requirements.txt
    .venv/bin/python scripts/junit/validate.py [FILE…]

Without files it validates the snapshots of the tests. The schema, junit-10.xsd beside this script, is the plugin's own
(MIT, Gregory Boissinot). Exits with 1 and the first problem of each file when one is not valid.
"""

import sys
from pathlib import Path

from lxml import etree

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = etree.XMLSchema(file=Path(__file__).with_name("junit-10.xsd"))
SNAPSHOTS = "crates/pawl/src/output/tests/snapshots/*junit*.snap"
OUTCOMES = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}


def document(path: Path) -> bytes:
    """The XML in a file; of a snapshot what stands below its head."""
    text = path.read_bytes()
    return text.split(b"\n---\n", 1)[1] if path.suffix == ".snap" else text


def problem(xml: bytes) -> str | None:
    """What is wrong with a document."""
    try:
        root = etree.fromstring(xml)
    except etree.XMLSyntaxError as error:
        return str(error)
    if not SCHEMA.validate(root):
        return str(SCHEMA.error_log[0])
    for element in root.iter("testsuites", "testsuite"):
        for attribute, name in OUTCOMES.items():
            stated, found = element.get(attribute), len(list(element.iter(name)))
            if stated is not None and int(stated) != found:
                return f"<{element.tag}> says {attribute}={stated} and has {found}"
        names = [case.get("name") for case in element.findall("testcase")]
        if len(names) != len(set(names)):
            return f"two test cases of <{element.tag}> have the same name"
    return None


def self_test() -> None:
    """A validator that finds nothing wrong anywhere is no validator."""
    suite = '<testsuite name="s" tests="{}" failures="0" errors="0">{}</testsuite>'
    case = '<testcase classname="s" name="a"/>'
    assert problem(suite.format(1, case).encode()) is None
    assert problem(suite.format(2, case).encode()), "a wrong count"
    assert problem(suite.format(2, case + case).encode()), "a name twice"
    assert problem(suite.format(0, "<testcases/>").encode()), "an element that is not in the schema"
    assert problem(b'<testsuite name="s"/>'), "attributes that are missing"
    assert problem(suite.format(0, "\x1b").encode()), "a character that XML forbids"


def main() -> int:
    self_test()
    files = [Path(name) for name in sys.argv[1:]] or sorted(ROOT.glob(SNAPSHOTS))
    if not files:
        print(f"no snapshot fits {SNAPSHOTS}", file=sys.stderr)
        return 1
    problems = [(file, found) for file in files if (found := problem(document(file)))]
    for file, found in problems:
        print(f"{file}: {found}", file=sys.stderr)
    print(f"{len(files) - len(problems)} of {len(files)} JUnit documents are valid")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
