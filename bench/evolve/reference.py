"""PyPI's `gepa` in the same worlds; what came of it is printed as JSON, a line each.

    reference.py search PRESETS FIRST-LAST SETTING METRIC_CALLS DOLLARS   SETTING: default, objective
    reference.py overhead CANDIDATES EXAMPLES
"""

import json
import random
import sys
import time
from collections import Counter

import gepa
from gepa.core.adapter import EvaluationBatch
from gepa.utils.stop_condition import MaxTrackedCandidatesStopper
from world import World

REFLECTION = 10  # metric calls that a reflection is worth


class Silent:
    def log(self, message):
        pass


class Adapter:
    """Tries candidates, and counts."""

    propose_new_texts = None

    def __init__(self, world):
        self.world, self.calls, self.tried = world, 0, Counter()

    def evaluate(self, batch, candidate, capture_traces=False):
        prompt, rows = self.world.prompt(candidate), []
        for example in batch:
            repetition = self.tried[prompt, example["id"]]
            self.tried[prompt, example["id"]] += 1
            rows.append(self.world.judge(prompt, example, repetition))
        self.calls += len(batch)
        return EvaluationBatch(
            outputs=[""] * len(batch),
            scores=[score for score, _, _ in rows],
            trajectories=[feedback for _, feedback, _ in rows] if capture_traces else None,
            objective_scores=[dimensions for _, _, dimensions in rows],
        )

    def make_reflective_dataset(self, candidate, evaluated, components):
        records = [{"Feedback": feedback} for feedback in evaluated.trajectories]
        return dict.fromkeys(components, records)


class Validations:
    """Every validation: what had been spent by its end, and the mean that was seen."""

    def __init__(self, spent):
        self.spent, self.points = spent, []

    def on_valset_evaluated(self, event):
        self.points.append((*self.spent(), event["candidate_idx"], event["average_score"]))


def search(preset, seed, setting, limits):
    world = World(preset, seed)
    adapter, reflections = Adapter(world), 0

    def reflect(prompt):
        nonlocal reflections
        reflections += 1
        return world.propose(prompt, seed)

    def spent():
        return adapter.calls, adapter.calls + REFLECTION * reflections

    validations = Validations(spent)
    result = gepa.optimize(
        seed_candidate=world.seed_candidate,
        trainset=world.train,
        valset=world.validation,
        adapter=adapter,
        reflection_lm=reflect,
        frontier_type="objective" if setting == "objective" else "instance",
        stop_callbacks=lambda _: all(now >= limit for now, limit in zip(spent(), limits, strict=True)),
        callbacks=[validations],
        logger=Silent(),
        seed=seed,
    )
    for place, (currency, limit) in enumerate(zip(("metric_calls", "dollars"), limits, strict=True)):
        # Of two that look the same the older one is taken, as the reference does.
        within = [point for point in validations.points if point[place] <= limit]
        observed, index = max((mean, -index) for _, _, index, mean in within)
        calls, dollars, _, _ = within[-1]
        test = world.test_score(result.candidates[-index])
        line = {"side": setting, "preset": preset, "seed": seed, "currency": currency, "test": test, "observed": observed}
        spent_on = {"metric_calls": calls, "reflections": (dollars - calls) // REFLECTION}
        print(json.dumps(line | spent_on), flush=True)


class Table:
    """Scores from a table, which take no time worth mentioning."""

    propose_new_texts = None

    def __init__(self, rows):
        self.rows, self.calls, self.seconds = rows, 0, 0.0

    def evaluate(self, batch, candidate, capture_traces=False):
        began = time.process_time()
        row = self.rows[int(candidate["main"].split("\n", 1)[0])]
        self.calls += len(batch)
        scores = [row[example] for example in batch]
        result = EvaluationBatch(outputs=[""] * len(batch), scores=scores, trajectories=scores if capture_traces else None)
        self.seconds += time.process_time() - began
        return result

    def make_reflective_dataset(self, candidate, evaluated, components):
        return dict.fromkeys(components, [{"Feedback": ""}])


class Always:
    def should_accept(self, proposal, state):
        return True


def table(rows, columns):
    """Each row is an earlier one with a twentieth of its cells drawn anew, mostly upwards: five levels."""
    chance = random.Random(1)
    cells = [[chance.randrange(5) / 4 for _ in range(columns)]]
    while len(cells) < rows:
        row = list(chance.choice(cells))
        for column in chance.sample(range(columns), max(1, columns // 20)):
            drawn = chance.randrange(5) / 4
            row[column] = max(row[column], drawn) if chance.random() < 0.7 else drawn
        cells.append(row)
    return cells


def overhead(candidates, examples):
    adapter, proposed = Table(table(candidates + 2, examples)), 0

    def propose(candidate, dataset, components):
        nonlocal proposed
        proposed += 1
        return {"main": f"{proposed}\n" + "rule text " * 60}

    began = time.process_time()
    gepa.optimize(
        seed_candidate={"main": "0\n" + "rule text " * 60},
        trainset=list(range(50)),
        valset=list(range(examples)),
        adapter=adapter,
        custom_candidate_proposer=propose,
        acceptance_criterion=Always(),
        stop_callbacks=MaxTrackedCandidatesStopper(candidates),
        skip_perfect_score=False,
        logger=Silent(),
        seed=0,
    )
    seconds = time.process_time() - began - adapter.seconds
    print(json.dumps({"candidates": candidates, "examples": examples, "calls": adapter.calls, "cpu_seconds": seconds}))


def main():
    match sys.argv[1:]:
        case ["search", presets, seeds, setting, *limits]:
            first, last = map(int, seeds.split("-"))
            for preset in presets.split(","):
                for seed in range(first, last + 1):
                    search(preset, seed, setting, [int(limit) for limit in limits])
        case ["overhead", candidates, examples]:
            overhead(int(candidates), int(examples))
        case _:
            sys.exit(__doc__)


main()
