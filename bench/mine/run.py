"""Times mining; see README.md beside this file."""

import argparse
import json
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "bench/intake"))

from machine import postgres, run, target_folder  # noqa: E402

CLAIMS = """set request.jwt.claims = '{"role":"service_role"}'; """
FORGET = "delete from failure_patterns; delete from suggestions; delete from mining_runs;"
EVERYTHING = """
insert into evaluation_configs (id, user_id, failure_score, sample_salt, created_at, updated_at)
select '11111111-1111-4111-8111-111111111111', id, 1, 'salt', {now}, {now} from {users}"""


class Sqlite:
    name = "SQLite"

    def __init__(self, folder):
        self.words = ["--data", folder]
        self.file = f"{folder}/pawl.db"

    def change(self, statements):
        with sqlite3.connect(self.file) as connection:
            connection.execute("pragma foreign_keys = on")
            connection.executescript(statements.format(now=int(time.time() * 1e6), users="auth_users"))


class Postgres:
    name = "PostgreSQL"

    def __init__(self, pawl, owner):
        self.owner = owner
        runtime = run([pawl, "migrate", "--database-url", owner, "--runtime-role", "pawl_app"])
        self.words = ["--database-url", runtime.strip().splitlines()[-1]]

    def change(self, statements):
        statements = CLAIMS + statements.format(now="now()", users="auth.users")
        run(["psql", self.owner, "--quiet", "--set", "ON_ERROR_STOP=1", "--command", statements])


def mine(pawl, engine, rounds):
    took, report = [], {}
    for _ in range(rounds):
        engine.change(FORGET)
        started = time.perf_counter()
        report = json.loads(run([pawl, "mine", "--since", "all", "--json", *engine.words]))
        took.append(time.perf_counter() - started)
    return statistics.median(took), max(took), report["pattern_count"], report["suggestion_count"]


def measure(pawl, engine, arguments):
    run([pawl, "user", "add", "bench@example.org", *engine.words])
    run([pawl, "seed", "--rows", str(arguments.rows), *engine.words])
    for what in ("as the month is", "all that has a score"):
        if what != "as the month is":
            engine.change(EVERYTHING)
        median, worst, patterns, suggestions = mine(pawl, engine, arguments.rounds)
        line = f"| {engine.name} | {what} | {patterns:,} | {suggestions:,} | {median:.1f} | {worst:.1f} |"
        print(line, file=sys.stderr)
        yield line


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    subprocess.run(["cargo", "build", "--release", "-p", "pawl"], cwd=ROOT, check=True)
    pawl = target_folder() / "release/pawl"
    lines = []
    with tempfile.TemporaryDirectory(dir=target_folder()) as data:
        lines += measure(pawl, Sqlite(data), arguments)
    with postgres() as (owner, _):
        lines += measure(pawl, Postgres(pawl, owner), arguments)
    text = f"# Results\n\n{arguments.rows:,} interactions, {arguments.rounds} rounds each.\n\n"
    text += "| database | failing | patterns | suggestions | median (s) | worst (s) |\n|---|---|---:|---:|---:|---:|\n"
    (HERE / "RESULTS.md").write_text(text + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
