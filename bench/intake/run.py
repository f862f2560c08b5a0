"""Measures intake; see README.md beside this file."""

import argparse
import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import uuid

import peers
import report
from machine import HERE, ROOT, ask, cpu_seconds, load, peak_mib, postgres, run, serving, settle, target_folder

SINGLE = (1, 16, 64, 256)
BATCH, BATCH_CONNECTIONS = 100, 8
INTERACTIONS = 2_000
DISK_ROWS = 20_000
PARTS = ("load", "plain", "peers", "disk")
ENGINES = ("SQLite", "PostgreSQL")
EXAMPLES = ("intake_history", "intake_bare", "intake_raw")


class Bench:
    def __init__(self, arguments, folder, cluster):
        self.arguments, self.folder = arguments, folder
        self.cluster, self.postmaster = cluster
        release = target_folder() / "dist"
        self.pawl, self.peers = release / "pawl", release.parent / "bench-peers"
        self.history, self.bare, self.raw = (release / "examples" / name for name in EXAMPLES)
        self.interactions = folder / "interactions.jsonl"

    def write_interactions(self, user):
        text = run([self.history, "print", user, INTERACTIONS])
        self.interactions.write_text(text, encoding="utf-8")

    @contextlib.contextmanager
    def database(self, engine):
        """A fresh one: the words that name it, its URL as raw inserts have it, and a tenant of it."""
        name = f"bench_{uuid.uuid4().hex[:12]}"
        if engine == "SQLite":
            with tempfile.TemporaryDirectory(dir=self.folder) as data:
                words, raw = ["--data", data], f"sqlite:{data}/pawl.db"
                yield words, raw, self.add_user(words)
            return
        run(["psql", "-qX", self.cluster, "-c", f"create database {name}"])
        owner = self.cluster.rsplit("/", 1)[0] + "/" + name
        migrated = run([self.pawl, "migrate", "--database-url", owner, "--runtime-role", name])
        words = ["--database-url", migrated.strip()]
        yield words, owner, self.add_user(words)
        run(["psql", "-qX", self.cluster, "-c", f"drop database {name} with (force)"])
        run(["psql", "-qX", self.cluster, "-c", f"drop role {name}"])

    def add_user(self, words):
        return json.loads(run([self.pawl, "user", "add", "bench@example.org", "--json", *words]))["id"]

    def under_load(self, server, url, roots, secret="none", count=None, groups=None):
        """Single posts and arrays, with what each interaction took of the CPU; `count` tells how many are stored, `groups`
        how many commits and requests in them there were."""
        environment = {"INTERACTIONS": str(self.interactions), "INGESTION_SECRET": secret}

        def post(connections, batch, seconds):
            words = {"BATCH": str(batch), "LOAD": uuid.uuid4().hex[:8]}
            return load(url, connections, seconds, environment | words)

        post(16, 1, 1)
        for connections, batch in [*((connections, 1) for connections in SINGLE), (BATCH_CONNECTIONS, BATCH)]:
            settle(roots)
            cpu, before = sum(map(cpu_seconds, roots)), count() if count else 0
            commits, requests = groups() if groups else (0, 0)
            found = post(connections, batch, self.arguments.seconds)
            settle(roots)
            cpu = sum(map(cpu_seconds, roots)) - cpu
            told = stored = found["requests"] * batch
            if count:
                stored = count() - before
                # Whoever waited for an answer when time was up was not told.
                if not told <= stored <= told + connections * batch:
                    sys.exit(f"{server} has acknowledged {told} interactions and stored {stored}")
            together = None
            if groups:
                now = groups()
                together = (now[1] - requests) / (now[0] - commits)
            rate = found["rate"] * batch
            print(f"{server:10} {connections:3} x {batch:3}: {rate:8,.0f}/s, p99 {found['p99']:7.2f} ms", file=sys.stderr)
            yield {
                "server": server, "connections": connections, "batch": batch, "rate": rate,
                "p50": found["p50"], "p99": found["p99"], "cpu": cpu / stored, "peak": peak_mib(roots[0]),
                "together": together,
            }

    def pawl_under_load(self, engine):
        with self.database(engine) as (words, _, user):
            self.write_interactions(user)
            keys = json.loads(run([self.pawl, "keys", "--json", *words]))
            serve = [self.pawl, "serve", "--listen", "127.0.0.1:0", *words]
            with serving(serve, {"RUST_LOG": "warn"}) as (process, url):
                headers = {"apikey": keys["service_role_key"], "authorization": f"Bearer {keys['service_role_key']}"}
                policy = {"user_id": user, "max_eval_per_day": 2**31 - 1}
                ask(url + "/rest/v1/evaluation_configs", headers | {"content-type": "application/json"}, policy)

                def count():
                    shown, _ = ask(url + "/rest/v1/evaluations?select=id", headers | {"prefer": "count=exact"}, method="HEAD")
                    return int(shown["content-range"].rpartition("/")[2])

                def groups():
                    text = ask(url + "/metrics")[1].decode()
                    return [int(re.search(rf"^pawl_intake_{name}_total (\d+)$", text, re.MULTILINE).group(1)) for name in ("groups", "requests")]

                # What PostgreSQL does for it is its work as well.
                roots = [process.pid] if engine == "SQLite" else [process.pid, self.postmaster]
                yield from self.under_load(engine, url, roots, keys["ingestion_secret"], count, groups)

    def bare_under_load(self):
        self.write_interactions(uuid.uuid4())
        with serving([self.bare]) as (process, url):
            yield from self.under_load("bare axum", url, [process.pid])

    def load(self):
        """A round."""
        rows = list(self.bare_under_load())
        for engine in ENGINES:
            rows += self.pawl_under_load(engine)
        return rows

    def plain(self):
        """Rows a second of plain inserts, by engine."""
        rates = {}
        for engine in ENGINES:
            with self.database(engine) as (_, raw, user):
                self.write_interactions(user)
                rates[engine] = json.loads(run([self.raw, raw, self.interactions, self.arguments.seconds]))
                print(f"{engine:10} plain: {rates[engine]}", file=sys.stderr)
        return rates

    def compare(self):
        found = {}
        for name in peers.PACKAGES:
            self.write_interactions(uuid.uuid4())
            folder = self.folder / name
            folder.mkdir()
            found[name] = peers.measure(name, self.peers, folder, self.interactions, self.arguments.peer_interactions)
            print(f"{name:10} {found[name]}", file=sys.stderr)
        return found

    def disk(self):
        """Bytes of an interaction as JSON, stored, and stored with its words indexed, by engine."""
        found = {}
        for engine in ENGINES:
            with self.database(engine) as (words, raw, _):
                url = raw if engine == "SQLite" else words[1]
                empty = self.size(engine, words, raw)
                filled = json.loads(run([self.history, "fill", url, DISK_ROWS, "usual"]))
                stored = self.size(engine, words, raw) - empty
                run([self.history, "index", url])
                indexed = self.size(engine, words, raw) - empty
                found[engine] = [size / DISK_ROWS for size in (filled["json_bytes"], stored, indexed)]
                print(f"{engine:10} bytes of JSON, stored, indexed: {found[engine]}", file=sys.stderr)
        return found

    @staticmethod
    def size(engine, words, raw):
        if engine == "SQLite":
            return sum(file.stat().st_size for file in pathlib.Path(words[1]).iterdir())
        # Without what the server keeps free for the next rows nothing can be compared.
        return int(run(["psql", "-qXAt", raw, "-c", "select pg_database_size(current_database())"]))

    def questions(self, rows, texts):
        """How long questions to so many interactions take, on SQLite."""
        with self.database("SQLite") as (_, url, _):
            filled = json.loads(run([self.history, "fill", url, rows, texts]))
            indexed = json.loads(run([self.history, "index", url]))
            asked = run([self.history, "ask", url, self.arguments.rounds * 10])
            print(f"{rows:,} rows stored in {filled['seconds']:.0f} s, indexed in {indexed['seconds']:.0f} s\n{asked}", file=sys.stderr)
            return {
                "rows": rows, "texts": texts, "stored": rows / filled["seconds"], "indexed": rows / indexed["seconds"],
                "answers": [json.loads(line) for line in asked.splitlines()],
            }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=4, help="how long each load takes")
    parser.add_argument("--rounds", type=int, default=2, help="how often loads and plain inserts take turns")
    parser.add_argument("--peer-interactions", type=int, default=2_000, help="how many a peer is given")
    parser.add_argument("--skip", action="append", default=[], choices=PARTS, help="a part that is left out")
    parser.add_argument("--queries", action="store_true", help="ask 20,000 and 1,000,000 interactions as well")
    parser.add_argument("--ten-million", action="store_true", help="and 10,000,000 with short texts")
    arguments = parser.parse_args()
    # As it is released.
    build = ["cargo", "build", "--profile", "dist", "-p", "pawl", "-p", "pawl-engine", "-p", "pawl-server", "-p", "pawl-store"]
    subprocess.run([*build, "--bin", "pawl", *(f"--example={name}" for name in EXAMPLES)], cwd=ROOT, check=True)
    parts = [part for part in PARTS if part not in arguments.skip]
    found = {"load": [], "plain": []}
    with tempfile.TemporaryDirectory(dir=target_folder()) as folder, postgres() as cluster:
        bench = Bench(arguments, pathlib.Path(folder), cluster)
        for _ in range(arguments.rounds):
            for part in ("load", "plain"):
                if part in parts:
                    found[part].append(getattr(bench, part)())
        if "peers" in parts:
            found["peers"] = bench.compare()
        if "disk" in parts:
            found["disk"] = bench.disk()
        found["questions"] = []
        if arguments.queries:
            found["questions"] += [bench.questions(20_000, "usual"), bench.questions(1_000_000, "usual")]
        if arguments.ten_million:
            found["questions"].append(bench.questions(10_000_000, "short"))
    text = report.written(found, arguments.seconds)
    (HERE / "RESULTS.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
