"""Regression tests of approved drafts: one test per draft.

The agent that is tested is a fixture of yours, in conftest.py. It takes the prompt and what has to be so beforehand (a text
or None), and gives the output, and the tools that were called, in their order:

    @pytest.fixture
    def agent():
        def ask(prompt, required_state):
            return {"output": "…", "tool_calls": [{"name": "…"}]}
        return ask

Without `tool_calls` nobody can tell which tools were called: what depends on it is not judged.

Sentences that cannot be looked up need a fixture `judge`; without it a test whose other sentences hold is skipped, and
says so. It says whether a sentence holds, and why:

    @pytest.fixture
    def judge():
        def ask(sentence, prompt, output):
            return True, "…"
        return ask

Words and characters are counted about as Unicode divides them: a word may have apostrophes, points or commas inside; marks
and joined symbols count with the character before them.
"""

import json
import re
import unicodedata

import pytest

# How refusals begin, and what leads up to them.
OPENINGS = ()
LEADS = ()


class Unknown(Exception):
    """Nobody can tell whether a sentence holds."""


def text_of(output):
    return output if isinstance(output, str) else json.dumps(output, ensure_ascii=False, separators=(",", ":"))


def called(answer):
    calls = answer.get("tool_calls")
    if calls is None:
        raise Unknown("nothing says which tools were called")
    return [call["name"].lower() for call in calls]


def calls(tool, before, must):
    def holds(answer):
        names = called(answer)
        tools = [name.lower() for name in (tool, before) if name is not None]
        first, *other = [names.index(name) if name in names else None for name in tools]
        if before is None:
            return (first is not None) == must
        # Nothing comes too late for a tool that is not called.
        return other[0] is None or (first is not None and first < other[0]) == must

    return holds


def contains(text, must):
    return lambda answer: (text.lower() in text_of(answer["output"]).lower()) == must


def matches(pattern, must):
    return lambda answer: (re.search(pattern, text_of(answer["output"])) is not None) == must


def is_refusal(text):
    text = text.strip().lower().replace("\u2019", "'")
    if not text:
        return True
    while lead := next((lead for lead in LEADS if text.startswith(lead)), None):
        text = text[len(lead) :].lstrip()
    return text.startswith(OPENINGS)


def refuses(must):
    return lambda answer: is_refusal(text_of(answer["output"])) == must


def no_number(name):
    raise ValueError(f"{name} is no JSON")


def is_json(key=None):
    def holds(answer):
        value = answer["output"]
        if isinstance(value, str):
            try:
                value = json.loads(value, parse_constant=no_number)
            except ValueError:
                return False
        return key is None or (isinstance(value, dict) and key in value)

    return holds


def characters(text):
    count, before = 0, ""
    for character in text:
        is_mark = unicodedata.category(character) in ("Mn", "Me", "Mc") or "\U0001f3fb" <= character <= "\U0001f3ff"
        is_joined = character == "\u200d" or before == "\u200d" or before + character == "\r\n"
        if not before or not (is_mark or is_joined):
            count += 1
        before = character
    return count


def words(text):
    return len(re.findall(r"\w+(?:['\u2019.,:]\w+)*", text))


def at_most(most, unit):
    def holds(answer):
        if unit == "calls":
            return len(called(answer)) <= most
        count = {"characters": characters, "words": words}[unit]
        return count(text_of(answer["output"])) <= most

    return holds


# What they ask, and the sentences that the answer has to keep; those without a check need a judge.
DRAFTS = []


@pytest.mark.parametrize("draft", DRAFTS, ids=lambda draft: draft["id"])
def test_approved_draft(draft, agent, request):
    answer = agent(draft["prompt"], draft["required_state"])
    failures, unjudged = [], []
    golden = draft["golden_output"]
    if golden is not None and text_of(answer["output"]) != golden:
        failures.append(f"expected the output {golden!r}")
    try:
        judge = request.getfixturevalue("judge")
    except pytest.FixtureLookupError:
        judge = None
    for sentence, holds in draft["sentences"]:
        try:
            if holds is not None:
                if not holds(answer):
                    failures.append(sentence)
            elif judge is None:
                raise Unknown("needs the fixture `judge`")
            else:
                is_so, reason = judge(sentence, draft["prompt"], answer["output"])
                if not is_so:
                    failures.append(f"{sentence} ({reason})")
        except Unknown as why:
            unjudged.append(f"{sentence} ({why})")
    assert not failures, "\n".join([draft["title"], *failures, f"output: {answer['output']!r}"])
    if unjudged:
        pytest.skip("not judged: " + "; ".join(unjudged))
