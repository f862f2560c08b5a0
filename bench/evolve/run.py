"""Measures searches beside PyPI's `gepa`; see README.md beside this file."""

import argparse
import contextlib
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import urllib.parse
import uuid
import venv
from collections import defaultdict

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "bench/intake"))

from machine import cpu_seconds, postgres  # noqa: E402
from machine import run as plain  # noqa: E402

GEPA = "0.1.4"
PRESETS = ("graded", "binary", "trap", "trap_binary", "noisy", "noisy_binary")
CALLS, DOLLARS = 3_000, 4_000
LOOK_AHEAD, WORKERS, LATENCY = 4, 16, 50
SIDES = ("ours", f"ours, look-ahead {LOOK_AHEAD}", "gepa's rules in ours", "gepa, default", "gepa, objective front")
TUNING_SEEDS = "0-29"
SERVICE_CALLS, SERVICE_SEARCHES, SERVICE_ROUNDS = 1_500, 3, 3
MEMORY = "memory"
PARTS = ("scores", "tuning", "overhead", "steps", "latency", "service")


def growing(**changes):
    return {"validation": {"growing": {"block": 15, "crowd": 12, "keep": 6, "finalists": 5} | changes}}


def sources(best, objective, instance):
    picks = ("best", {"front": "objective"}, {"front": "instance"})
    weights = (best, objective, instance)
    return {"parents": [{"weight": w, "pick": pick} for w, pick in zip(weights, picks, strict=True) if w]}


# What was tried for the defaults, each alone.
VARIANTS = {
    "the defaults": {},
    "every candidate validated on all examples": {"validation": "full"},
    "the part the search sees: 10 examples": growing(block=10),
    "the part the search sees: 20 examples": growing(block=20),
    "the part never grows": growing(crowd=10**6),
    "2 finalists": growing(finalists=2),
    "10 finalists": growing(finalists=10),
    "minibatch 3": {"minibatch": 3},
    "minibatch 6": {"minibatch": 6},
    "sampler: epochs": {"sampler": "epochs"},
    "sampler: hard": {"sampler": "hard"},
    "sampler: variance": {"sampler": "variance"},
    "accepted when better, dimensions aside": {"acceptance": "better"},
    "accepted when not worse": {"acceptance": "not_worse"},
    "parents: the best alone": sources(1, 0, 0),
    "parents: front of examples alone": sources(0, 0, 1),
    "parents: front of dimensions alone": sources(0, 1, 0),
    "parents: the best and the front of examples": sources(1, 0, 1),
    "no patience": {"patience": None},
    "all components at once": {"components": "all"},
    "with merges": {"merge": {"limit": 5, "overlap": 5}},
    "look-ahead 2": {"look_ahead": 2},
    "look-ahead 3": {"look_ahead": 3},
    "look-ahead 4": {"look_ahead": 4},
    "look-ahead 8": {"look_ahead": 8},
}


def run(words, **more):
    words = ["nice", "-n", "15", *map(str, words)]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, **more)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Bench:
    def __init__(self):
        target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
        build = ["cargo", "build", "--release", "-q", "-p", "pawl-evolve", "--example", "evolve_bench"]
        subprocess.run(build, check=True, cwd=ROOT)
        self.ours = target / "release" / "examples" / "evolve_bench"
        self.service_program = target / "release" / "examples" / "evolve_service"
        folder = self.folder = target / "bench-evolve"
        self.python = folder / "bin" / "python"
        if not self.python.exists():
            venv.create(folder, with_pip=True)
        subprocess.run([self.python, "-m", "pip", "install", "-q", f"gepa=={GEPA}"], check=True)

    def part(self, name, measured, measure):
        """A part's results: measured now, or those of the last time."""
        kept = self.folder / f"{name}.json"
        if name in measured or not kept.exists():
            kept.write_text(json.dumps(list(measure())), encoding="utf-8")
        return json.loads(kept.read_text(encoding="utf-8"))

    def service(self):
        """The same search in memory and over databases, which take turns: all that was printed, by round."""
        build = ["cargo", "build", "--release", "-q", "-p", "pawl-engine", "--example", "evolve_service"]
        subprocess.run(build, check=True, cwd=ROOT)
        with postgres("shared_preload_libraries=pg_stat_statements") as (cluster, postmaster):
            psql = ["psql", "-qXAt", cluster, "-c"]
            plain([*psql, "create extension pg_stat_statements"])
            for number in range(SERVICE_ROUNDS):
                for workers in (1, 8):
                    for engine in (MEMORY, "SQLite", "PostgreSQL"):
                        with self.database(engine, cluster) as (url, owner):
                            name = urllib.parse.urlsplit(owner).path[1:]
                            counted = f"from pg_stat_statements s join pg_database d on d.oid = s.dbid where d.datname = '{name}'"
                            plain([*psql, "select pg_stat_statements_reset()"])
                            before = cpu_seconds(postmaster)
                            words = [self.service_program, url, SERVICE_CALLS, workers, SERVICE_SEARCHES]
                            searches = [json.loads(line) for line in plain(words).splitlines()]
                            found = {"engine": engine, "workers": workers, "round": number, "searches": searches}
                            if engine == "PostgreSQL":
                                found["cpu"] = cpu_seconds(postmaster) - before
                                asked = f"select sum(calls), sum(calls) filter (where query ~* '^commit') {counted}"
                                found["statements"], found["commits"] = map(int, plain([*psql, asked]).split("|"))
                            print(found, file=sys.stderr)
                            yield found

    @contextlib.contextmanager
    def database(self, engine, cluster):
        """A fresh one, migrated: its URL as the service has it, and as its owner does."""
        name = f"bench_{uuid.uuid4().hex[:12]}"
        if engine == "PostgreSQL":
            plain(["psql", "-qX", cluster, "-c", f"create database {name}"])
            owner = urllib.parse.urlsplit(cluster)._replace(path=f"/{name}").geturl()
            yield plain([self.service_program, "migrate", owner, name]).strip(), owner
            plain(["psql", "-qX", cluster, "-c", f"drop database {name} with (force)"])
        else:
            with tempfile.TemporaryDirectory(dir=self.folder) as data:
                yield (MEMORY if engine == MEMORY else f"sqlite:{data}/pawl.db"), ""

    def tuning(self):
        for name, settings in VARIANTS.items():
            words = [self.ours, "search", ",".join(PRESETS), TUNING_SEEDS, "metric_calls", CALLS, json.dumps(settings)]
            yield name, run(words)

    def search(self, seeds):
        """Test scores by currency, side and preset, in the order of the seeds."""
        presets = ",".join(PRESETS)
        found = []
        for side, settings in (
            ("ours", {}),
            (f"ours, look-ahead {LOOK_AHEAD}", {"look_ahead": LOOK_AHEAD}),
            ("gepa's rules in ours", {"base": "reference"}),
        ):
            for currency, limit in (("metric_calls", CALLS), ("dollars", DOLLARS)):
                words = [self.ours, "search", presets, seeds, currency, limit, json.dumps(settings)]
                found += [line | {"side": side} for line in run(words)]
        for side, setting in (("gepa, default", "default"), ("gepa, objective front", "objective")):
            words = [self.python, HERE / "reference.py", "search", presets, seeds, setting, CALLS, DOLLARS]
            found += [line | {"side": side} for line in run(words)]
        return found

    def overhead(self):
        for examples in (1_000, 2_000):
            [ours] = run([self.ours, "overhead", 300, examples, "{}"])
            [theirs] = run([self.python, HERE / "reference.py", "overhead", 300, examples])
            yield examples, ours, theirs

    def steps(self):
        return run([self.ours, "steps", 20_000])[0]["microseconds"]

    def latency(self):
        for look_ahead in (1, 2, 3, 4, 6, 8):
            settings = json.dumps({"look_ahead": look_ahead})
            yield run([self.ours, "latency", CALLS, WORKERS, LATENCY, settings])[0]


def interval(values, rounds=10_000):
    """95 % of the bootstrap's means."""
    chance = random.Random(0)
    means = sorted(statistics.fmean(chance.choices(values, k=len(values))) for _ in range(rounds))
    return means[int(0.025 * rounds)], means[int(0.975 * rounds)]


def row(cells):
    return "| " + " | ".join(map(str, cells)) + " |\n"


def score_tables(lines):
    scores, spent = defaultdict(lambda: defaultdict(dict)), defaultdict(list)
    for line in lines:
        scores[line["currency"], line["side"]][line["preset"]][line["seed"]] = line["test"]
        spent[line["currency"], line["side"]].append((line["metric_calls"], line["reflections"]))
    text = ""
    for currency, words in (
        ("metric_calls", f"{CALLS:,} metric calls"),
        ("dollars", f"{DOLLARS:,} dollars: a metric call is one, a reflection ten"),
    ):
        text += f"\n**{words}**\n\n" + row(["test score", *PRESETS, "mean", "metric calls", "reflections"])
        text += row(["---", *["--:"] * (len(PRESETS) + 3)])
        for side in SIDES:
            means = [statistics.fmean(scores[currency, side][preset].values()) for preset in PRESETS]
            calls, reflections = (statistics.fmean(column) for column in zip(*spent[currency, side], strict=True))
            cells = [f"{mean:.3f}" for mean in means] + [f"**{statistics.fmean(means):.3f}**"]
            text += row([side, *cells, f"{calls:,.0f}", f"{reflections:,.0f}"])
        text += "\nGoal for ours: at least 0.45.\n\n" if currency == "metric_calls" else "\n"
        for other in SIDES[3:]:
            ours, theirs = scores[currency, "ours"], scores[currency, other]
            pairs = [(ours[preset][seed], theirs[preset][seed]) for preset in PRESETS for seed in ours[preset]]
            by_seed = defaultdict(list)
            for preset in PRESETS:
                for seed, score in ours[preset].items():
                    by_seed[seed].append(score - theirs[preset][seed])
            differences = [statistics.fmean(values) for values in by_seed.values()]
            low, high = interval(differences)
            wins, losses = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
            text += (
                f"Ours less {other}: **{statistics.fmean(differences):+.3f}**, 95 % interval {low:+.3f} to {high:+.3f}"
                f" over {len(differences)} seeds; {wins} of {len(pairs)} pairs won, {losses} lost.\n\n"
            )
    return text


def report(bench, arguments):
    def part(name, measure):
        return bench.part(name, arguments.parts, measure)

    text = f"# Results\n\n{machine()} · gepa {GEPA}\n\n## Scores, seeds {arguments.seeds}\n"
    text += score_tables(part("scores", lambda: bench.search(arguments.seeds)))
    text += f"\n## Settings, seeds {TUNING_SEEDS}\n\nThe defaults were chosen on these seeds; {CALLS:,} metric calls.\n\n"
    text += row(["changed", *PRESETS, "mean", "reflections"]) + row(["---", *["--:"] * (len(PRESETS) + 2)])
    for name, lines in part("tuning", bench.tuning):
        tests = {preset: statistics.fmean(one["test"] for one in lines if one["preset"] == preset) for preset in PRESETS}
        reflections = statistics.fmean(one["reflections"] for one in lines)
        cells = [f"{test:.3f}" for test in tests.values()] + [f"**{statistics.fmean(tests.values()):.3f}**"]
        text += row([name, *cells, f"{reflections:,.0f}"])
    text += "\n## What the search itself takes\n\n"
    text += "300 candidates, each validated on all examples, scores from a table; CPU seconds. "
    text += "Goals: 100 times less, and under 32 bytes a score.\n\n"
    text += row(["examples", "ours", "gepa", "gepa ÷ ours", "bytes a stored score"]) + row(["--:"] * 5)
    for examples, ours, theirs in part("overhead", bench.overhead):
        mine, other = ours["cpu_seconds"], theirs["cpu_seconds"]
        cells = [f"{examples:,}", f"{mine:.2f}", f"{other:.1f}", f"**{other / mine:,.0f}**"]
        text += row([*cells, f"{ours['bytes_per_score']:.1f}"])
    tenths = part("steps", bench.steps)
    text += "\n20,000 steps that come to nothing, journalled in memory: CPU microseconds a step, by tenths of the run.\n\n"
    text += row(range(1, len(tenths) + 1)) + row(["--:"] * len(tenths)) + row(f"{tenth:.0f}" for tenth in tenths)
    text += f"\n## Latency\n\nEvery call takes {LATENCY} ms, {WORKERS} workers, {CALLS:,} metric calls of graded, seed 0. "
    text += "Busy is (metric calls + reflections) × latency ÷ workers; goal: at most 1.3 of it.\n\n"
    text += row(["look-ahead", "wall s", "busy s", "wall ÷ busy"]) + row(["--:"] * 4)
    for line in part("latency", bench.latency):
        cells = [f"{line['wall_seconds']:.1f}", f"{line['busy_seconds']:.1f}", f"{line['ratio']:.2f}"]
        text += row([line["look_ahead"], *cells])
    return text + service_tables(part("service", bench.service))


def service_tables(rounds):
    """What a metric call took, by workers and engine."""
    searched = [search for found in rounds for search in found["searches"]]
    # What a table answers has no price, what a model answers has.
    ways = [(search["spent"]["metric_calls"], search["spent"]["reflections"], search["counts"]) for search in searched]
    if any(way != ways[0] for way in ways):
        sys.exit("these were not the same searches")
    spent, counts = searched[0]["spent"], searched[0]["counts"]
    calls = spent["metric_calls"]

    def middle(engine, workers, measure):
        return statistics.median(measure(one) for one in rounds if (one["engine"], one["workers"]) == (engine, workers)) / calls * 1e6

    def mean(name):
        return lambda one: statistics.fmean(search[name] for search in one["searches"])

    text = "\n## What the service adds\n\n"
    text += f"A target that answers at once, three checks a case, a scripted model over HTTP. {calls:,} metric calls, "
    text += f"{spent['reflections']} reflections, {counts['accepted']} candidates accepted, {counts['rejected']} rejected; every commit on the disk. "
    text += f"Means of {SERVICE_SEARCHES} searches after each other in a database, medians of {SERVICE_ROUNDS} rounds, microseconds a metric call.\n\n"
    text += row(["journal", "workers", "wall", "÷ memory", "CPU", "CPU of the server", "÷ memory"]) + row(["---", *["--:"] * 6])
    for workers in (1, 8):
        for engine in (MEMORY, "SQLite", "PostgreSQL"):
            wall, cpu = (middle(engine, workers, mean(name)) for name in ("wall", "cpu"))
            server = middle(engine, workers, lambda one: one.get("cpu", 0) / SERVICE_SEARCHES)
            ratios = [wall / middle(MEMORY, workers, mean("wall")), (cpu + server) / middle(MEMORY, workers, mean("cpu"))]
            text += row([engine, workers, f"{wall:,.0f}", f"{ratios[0]:.1f}", f"{cpu:,.0f}", f"{server:,.0f}" if server else "–", f"{ratios[1]:.1f}"])
    target, checks = (middle(MEMORY, 1, mean(name)) for name in ("target", "checks"))
    text += f"\nOf it, with one worker: the target {target:.1f}, the checks {checks:.1f}; the search and its model are the rest of what it takes in "
    text += "memory, and what a database takes beyond that is the journal.\n\n"
    counted = [one for one in rounds if "commits" in one]
    statements, commits = (statistics.fmean(one[name] for one in counted) / SERVICE_SEARCHES / calls for name in ("statements", "commits"))
    text += f"PostgreSQL was asked {statements:.1f} statements a metric call, of which {commits:.2f} were commits; all else of the search is in it.\n\n"
    text += "Wall microseconds a metric call by what the database holds already, 1 worker:\n\n"
    text += row(["journal", *(f"{nth * calls:,} calls" for nth in range(SERVICE_SEARCHES))]) + row(["---", *["--:"] * SERVICE_SEARCHES])
    for engine in ("SQLite", "PostgreSQL"):
        text += row([engine, *(f"{middle(engine, 1, lambda one, nth=nth: one['searches'][nth]['wall']):,.0f}" for nth in range(SERVICE_SEARCHES))])
    return text


def machine():
    model = next(line for line in open("/proc/cpuinfo", encoding="ascii") if line.startswith("model name"))
    words = model.split(":")[1].split()[:2]
    return f"{os.cpu_count()} cores, {' '.join(words)} · Python {sys.version.split()[0]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="100-129", help="FIRST-LAST")
    parser.add_argument("--parts", nargs="*", default=PARTS, choices=PARTS, help="the others are those of the last time")
    arguments = parser.parse_args()
    (HERE / "RESULTS.md").write_text(report(Bench(), arguments), encoding="utf-8")


main()
