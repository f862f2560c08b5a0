"""What a team writes before it has a tool: the eight story checks in a plain loop. Nothing is stored.

    python3 plain_loop.py CASES.jsonl OUTPUTS.jsonl            prints a summary
    python3 plain_loop.py --checks-only OUTPUTS.jsonl ROUNDS   prints seconds per round over all parsed stories
"""

import json
import re
import sys
import time
import unicodedata

FORMAT = re.compile(r"\bas an?\b.*\bi want\b.*\bso that\b", re.IGNORECASE | re.DOTALL)
ACTOR_FIRST = re.compile(r"^(given|when|then)\b|^[\w' -]+? (can|cannot|must|should|may|will|is|are|\w+s)\b", re.IGNORECASE)
VERBS = frozenset(
    "accept add allow apply calculate create delete display encrypt format hide log mask paginate prevent reject "
    "return send show store truncate update validate verify".split()
)


def blank(text):
    return not isinstance(text, str) or not text.strip()


def folded(text):
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(".!?;:,")


def actionable(text):
    if blank(text):
        return False
    first = text.split(None, 1)[0].lower()
    return first in VERBS or first.rstrip("s") in VERBS or ACTOR_FIRST.match(text) is not None


def check(story):
    title, description = story.get("title"), story.get("description")
    criteria = story.get("acceptance_criteria")
    criteria = criteria if isinstance(criteria, list) else []
    filled = [text for text in criteria if not blank(text)]
    results = []

    def add(name, passed, message):
        results.append({"name": name, "passed": passed, "message": None if passed else message})

    add("has_title", not blank(title), "missing or blank")
    add("has_description", not blank(description), "missing or blank")
    add("description_format", not blank(description) and FORMAT.search(description) is not None, "missing a clause")
    add("min_acceptance_criteria", len(filled) >= 3, f"found {len(filled)}, need 3")
    add("max_acceptance_criteria", len(criteria) <= 7, f"found {len(criteria)}, at most 7")
    seen = {}
    duplicate = None
    for number, text in enumerate(filled, 1):
        key = folded(text)
        if key in seen:
            duplicate = duplicate or f"AC #{number} duplicates AC #{seen[key]}"
        else:
            seen[key] = number
    add("no_duplicate_ac", duplicate is None, duplicate)
    length = len(description) if isinstance(description, str) else 0
    add("description_length", 20 <= length <= 500, f"length {length} outside 20–500")
    lazy = next((number for number, text in enumerate(criteria, 1) if not actionable(text)), None)
    add("acs_are_actionable", lazy is None, f"AC #{lazy} does not start with a verb")
    failed = sum(not result["passed"] for result in results)
    return {"checks": results, "summary": {"total": 8, "passed": 8 - failed, "failed": failed}}


def main():
    if sys.argv[1] == "--checks-only":
        with open(sys.argv[2], encoding="utf-8") as file:
            stories = [json.loads(line)["output"] for line in file]
        best = float("inf")
        for _ in range(int(sys.argv[3])):
            start = time.perf_counter()
            failed = sum(check(story)["summary"]["failed"] > 0 for story in stories)
            best = min(best, time.perf_counter() - start)
        print(json.dumps({"stories": len(stories), "failed": failed, "seconds": best}))
        return
    with open(sys.argv[2], encoding="utf-8") as file:
        outputs = {line["id"]: line["output"] for line in map(json.loads, file)}
    passed = failed = 0
    by_check = {}
    with open(sys.argv[1], encoding="utf-8") as file:
        for case in map(json.loads, file):
            results = check(outputs[case["id"]])
            if results["summary"]["failed"]:
                failed += 1
            else:
                passed += 1
            for result in results["checks"]:
                by_check[result["name"]] = by_check.get(result["name"], 0) + result["passed"]
    print(f"{passed} passed, {failed} failed")
    for name, count in by_check.items():
        print(f"{name:28}{count:8}")


if __name__ == "__main__":
    main()
