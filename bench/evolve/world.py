"""The made-up task and its models, as in world/: all of its chances are hashes, so that both sides measure the same."""

import functools
import hashlib
import re
from collections import Counter

GRADED = {
    "components": ("planner", "writer"), "slots": 20, "values": 4, "clusters": 6, "need": 5, "capacity": 14,
    "penalty": 0.03, "bar": None, "seed_rules": 8, "hints": 1, "mislead": 0.3, "sigma": 0.0, "max_edits": 2,
    "forget": 0.5, "garble": 0.15, "styles": 1, "reach": 1.0, "restyle": 0.0, "sizes": (60, 60, 300),
}  # fmt: skip
TRAP = {"styles": 4, "reach": 0.35, "restyle": 0.15}
PRESETS = {
    "graded": {}, "binary": {"bar": 0.55}, "trap": TRAP, "trap_binary": {**TRAP, "bar": 0.35},
    "noisy": {"sigma": 0.15}, "noisy_binary": {"sigma": 0.15, "bar": 0.55},
}  # fmt: skip

RULE = re.compile(r"^RULE (\w+\.r\d+) = (v\d+)$", re.M)
COMPONENT = re.compile(r"^COMPONENT (\w+)$", re.M)
STYLE = re.compile(r"^STYLE s(\d+)$", re.M)
HINT = re.compile(r"\[\[set (\w+\.r\d+)=(v\d+)\]\]")
OVER = re.compile(r"\[\[over (\w+) (\d+)\]\]")


def number(*parts):
    """The first 8 bytes, big-endian, of the SHA-256 of the parts, joined by U+001F."""
    return int.from_bytes(hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()[:8], "big")


def unit(*parts):
    return (number(*parts) >> 11) / float(1 << 53)


def hash_order(names, *key):
    return sorted(names, key=lambda name: (number(*key, name), name))


def gauss(*parts):
    return (sum(unit(*parts, nth) for nth in range(4)) - 2.0) * 3.0**0.5


def component_of(slot):
    return slot.split(".")[0]


@functools.lru_cache(maxsize=None)
def reachable(slot, style, styles, reach):
    return styles == 1 or unit("reach", slot, style) < reach


def render(component, rules, style):
    lines = [f"COMPONENT {component}", *([] if style is None else [f"STYLE s{style}"]), "Follow every rule below."]
    return "\n".join([*lines, *(f"RULE {slot} = {rules[slot]}" for slot in sorted(rules))])


@functools.lru_cache(maxsize=4096)
def rules_of(prompt):
    rules = dict(RULE.findall(prompt))
    return rules, Counter(map(component_of, rules))


class World:
    def __init__(self, preset, seed):
        self.params, self.seed = {**GRADED, **PRESETS[preset]}, seed
        self.kinds = {}
        for component in self.params["components"]:
            names = [f"{component}.r{slot:02d}" for slot in range(self.params["slots"])]
            shared, contested = round(0.30 * len(names)), round(0.25 * len(names))
            for place, slot in enumerate(hash_order(names, "kind", seed)):
                local = (place - shared - contested) % self.params["clusters"]
                self.kinds[slot] = "shared" if place < shared else "contested" if place < shared + contested else local
        splits = zip(("train", "val", "test"), self.params["sizes"], strict=True)
        self.train, self.validation, self.test = ([self.example(name, nth) for nth in range(size)] for name, size in splits)
        self.seed_candidate = {component: self.seed_text(component) for component in self.params["components"]}

    def reaches(self, slot, style):
        return reachable(slot, style, self.params["styles"], self.params["reach"])

    def right_value(self, slot, cluster):
        base = number("value", self.seed, slot) % self.params["values"]
        shift = self.kinds[slot] == "contested" and cluster % 2 == 1
        return f"v{(base + shift) % self.params['values']}"

    def example(self, split, nth):
        id_, cluster = f"{split}-{nth:04d}", nth % self.params["clusters"]

        def pick(kind):
            return hash_order([slot for slot in self.kinds if self.kinds[slot] == kind], "pick", self.seed, id_)

        local, contested = pick(cluster), pick("contested")
        rest = hash_order(local[1:] + contested[1:] + pick("shared"), "rest", self.seed, id_)
        chosen = sorted((local[:1] + contested[:1] + rest)[: self.params["need"]])
        need = {slot: self.right_value(slot, cluster) for slot in chosen}
        return {
            "id": id_,
            "input": "ASK " + ",".join(chosen),
            "need": need,
            "hints": {slot: self.hint(id_, slot, value) for slot, value in need.items()},
            "order": hash_order(chosen, "order", self.seed, id_),
        }

    def hint(self, id_, slot, value):
        if unit("mislead", self.seed, id_, slot) >= self.params["mislead"]:
            return value
        shift = number("wrong", self.seed, id_, slot) % (self.params["values"] - 1)
        return f"v{(int(value[1:]) + 1 + shift) % self.params['values']}"

    def seed_text(self, component):
        names = [slot for slot in self.kinds if component_of(slot) == component]
        rules = {}
        for slot in hash_order(names, "seedpick", self.seed)[: self.params["seed_rules"]]:
            right = unit("seedright", self.seed, slot) < 0.5
            wrong = f"v{number('seedval', self.seed, slot) % self.params['values']}"
            rules[slot] = self.right_value(slot, 0) if right else wrong
        rules = {slot: value for slot, value in rules.items() if self.reaches(slot, 0)}
        return render(component, rules, 0 if self.params["styles"] > 1 else None)

    def prompt(self, candidate):
        return "\n\n".join(candidate[component] for component in self.params["components"])

    def judge(self, prompt, example, repetition=None):
        """Score, feedback and dimensions of what the rules of a prompt answer; with noise where it is a repetition."""
        params, (rules, load) = self.params, rules_of(prompt)
        noise = 0.0
        if repetition is not None and params["sigma"]:
            noise = params["sigma"] * gauss("noise", self.seed, prompt, example["id"], repetition)
        need = example["need"]
        missed = [slot for slot in example["order"] if rules.get(slot) != need[slot]]
        factor, over = 1.0, []
        for component in params["components"]:
            extra = max(0, load[component] - params["capacity"])
            if extra:
                over.append(f"[[over {component} {extra}]]")
            factor *= max(0.0, 1.0 - params["penalty"] * extra)
        raw = min(1.0, max(0.0, (len(need) - len(missed)) / len(need) * factor + noise))
        score = round(raw, 6) if params["bar"] is None else float(raw >= params["bar"] - 1e-9)
        dimensions = {"brevity": round(factor, 6)}
        for component in params["components"]:
            mine = [slot for slot in need if component_of(slot) == component]
            share = sum(rules.get(slot) == need[slot] for slot in mine) / len(mine) if mine else 1.0
            dimensions[component] = round(min(1.0, max(0.0, share + noise)), 6)
        hints = " ".join(f"[[set {slot}={example['hints'][slot]}]]" for slot in missed[: params["hints"]])
        parts = [f"The answer used wrong or missing settings. {hints}"] if missed else []
        parts += [f"The instructions are too long. {' '.join(over)}"] if over else []
        return score, " ".join(parts) or "All checks passed.", dimensions

    def test_score(self, candidate):
        prompt = self.prompt(candidate)
        return sum(self.judge(prompt, example)[0] for example in self.test) / len(self.test)

    def propose(self, prompt, seed):
        """What is proposed for the component that a prompt is about; it depends on rules and hints alone."""
        params = self.params
        component = COMPONENT.search(prompt).group(1)
        rules = {slot: value for slot, value in RULE.findall(prompt) if component_of(slot) == component}
        hints = Counter(hint for hint in HINT.findall(prompt) if component_of(hint[0]) == component)
        over = max((int(extra) for name, extra in OVER.findall(prompt) if name == component), default=0)
        style = int(STYLE.search(prompt).group(1)) if params["styles"] > 1 else 0
        known = ",".join(f"{slot}={rules[slot]}" for slot in sorted(rules))
        heard = ",".join(f"{slot}={value}*{count}" for (slot, value), count in sorted(hints.items()))
        key = ("reflect", seed, component, known, heard, over, style)
        if params["styles"] > 1 and unit(*key, "restyle") < params["restyle"]:
            style = (style + 1 + number(*key, "newstyle") % (params["styles"] - 1)) % params["styles"]
        wanted = {}
        for slot in {slot for slot, _ in hints if self.reaches(slot, style)}:
            named = [(count, number(*key, "tie", slot, value), value) for (s, value), count in hints.items() if s == slot]
            wanted[slot] = max(named)[2]
        edits = hash_order([slot for slot in wanted if rules.get(slot) != wanted[slot]], *key, "pick")
        edits = edits[: 1 + number(*key, "k") % params["max_edits"]]
        new = {slot: value for slot, value in rules.items() if self.reaches(slot, style)}
        new.update({slot: wanted[slot] for slot in edits})
        if over:
            for slot in hash_order([slot for slot in new if slot not in wanted], *key, "shed")[: min(over, 2)]:
                del new[slot]
        if unit(*key, "forget") < params["forget"]:
            for slot in hash_order([slot for slot in new if slot not in edits], *key, "drop")[:1]:
                del new[slot]
        if unit(*key, "garble") < params["garble"] or new == rules:
            slot = f"{component}.r{number(*key, 'gslot') % params['slots']:02d}"
            if self.reaches(slot, style):
                new[slot] = f"v{number(*key, 'gval') % params['values']}"
        text = render(component, new, style if params["styles"] > 1 else None)
        return f"Here is the improved text.\n```\n{text}\n```"
