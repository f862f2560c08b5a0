"""Measures how often the live prompt can be asked for; see README.md beside this file."""

import argparse
import contextlib
import http.client
import json
import os
import pathlib
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from collections import defaultdict

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "bench/intake"))

from machine import UNITS, ask, cpu_seconds, postgres, run, serving, target_folder  # noqa: E402

CONNECTIONS = (16, 64, 256)
PATH = "/api/prompts/support/live"
TEXT = "You answer questions about parcels. Say where it is, when it comes, and what it costs. " * 20
GOAL = 10_000
POLLERS, VERSIONS = 8, 1_000
ANEW, KNOWN = "anew", "If-None-Match"
BARE = "bare axum"


class Server:
    """One that answers: its address, what requests to it carry, and the processes that work for it."""

    def __init__(self, name, url, key, roots):
        self.name, self.url, self.roots = name, url, roots
        self.headers = {"authorization": f"Bearer {key}"}
        head, self.body = ask(url + PATH, self.headers)
        self.tag = head["etag"]

    def load(self, what, connections, seconds):
        headers = self.headers | ({"if-none-match": self.tag} if what == KNOWN else {})
        words = [word for name, value in headers.items() for word in ("-H", f"{name}: {value}")]
        before = sum(map(cpu_seconds, self.roots))
        said = run(["wrk", "-t2", f"-c{connections}", f"-d{seconds}s", "--latency", *words, self.url + PATH])
        cpu = sum(map(cpu_seconds, self.roots)) - before
        if "Non-2xx" in said or "Socket errors" in said:
            sys.exit(f"load on {self.name}:\n{said}")
        number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", said).groups()
        requests = int(re.search(r"(\d+) requests in", said).group(1))
        return {
            "rate": float(re.search(r"Requests/sec:\s+([\d.]+)", said).group(1)),
            "p99": float(number) * UNITS[unit],
            "cpu": cpu / requests * 1e6,
        }


@contextlib.contextmanager
def pawl_serving(pawl, engine, words, roots):
    """`pawl serve` over a fresh database with a prompt that is live."""
    run([pawl, "user", "add", "bench@example.org", *words])
    key = json.loads(run([pawl, "key", "create", "--scope", "read", "--json", *words]))["key"]
    run([pawl, "prompt", "add", "support", "-", *words], input=TEXT)
    with serving([pawl, "serve", "--listen", "127.0.0.1:0", *words], {"RUST_LOG": "warn"}) as (process, url):
        yield Server(engine, url, key, [process.pid, *roots])


def add_versions(words, cluster):
    """Versions to go to, behind the product's back: a promotion needs a candidate for each."""
    insert = "insert into prompt_versions (user_id, name, version, components, created_at) select v.user_id, v.name, n, v.components, v.created_at"
    if words[0] == "--data":
        with contextlib.closing(sqlite3.connect(f"{words[1]}/pawl.db")) as database, database:
            database.execute(
                "with recursive g(n) as (select 2 union all select n + 1 from g where n < ?) "
                + insert + " from prompt_versions v, g where v.version = 1", [VERSIONS],
            )
    else:
        name = urllib.parse.urlsplit(words[1]).path
        server = urllib.parse.urlsplit(cluster)._replace(path=name).geturl()
        run(["psql", "-qX", server, "-c", f"{insert} from prompt_versions v, generate_series(2, {VERSIONS}) g(n) where v.version = 1"])


class Changes:
    """A prompt that changes all the time, and pollers who look whether they are told so."""

    def __init__(self, server, pawl, words):
        self.server, self.pawl, self.words = server, pawl, words
        self.live, self.is_over, self.wrong = 1, threading.Event(), []
        self.polls, self.seen = 0, []

    def change(self):
        while not self.is_over.wait(1):
            to = self.live + 1
            named = ["--prompt", "support", "--to", str(to), "--by", "bench", "--reason", "to see who notices"]
            run([self.pawl, "rollback", *named, *self.words])
            # From now on nobody may be told of an older one.
            self.live = to

    def poll(self, changing):
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(self.server.url).netloc)
        tag, version, polls, seen = None, 0, 0, []
        while changing.is_alive() or version < self.live:
            at_least = self.live
            connection.request("GET", PATH, headers=self.server.headers | ({"if-none-match": tag} if tag else {}))
            answer = connection.getresponse()
            body = answer.read()
            if answer.status == 200:
                told = json.loads(body)["version"]
                if told <= version:
                    self.wrong.append(f"{told} after {version}")
                version, tag = told, answer.headers["etag"]
                seen.append(version)
            elif answer.status != 304:
                self.wrong.append(f"status {answer.status}")
            if version < at_least:
                self.wrong.append(f"{version} when {at_least} was live")
            polls += 1
        self.polls += polls
        self.seen.append(seen)

    def run(self, seconds):
        changing = threading.Thread(target=self.change)
        threads = [threading.Thread(target=self.poll, args=[changing]) for _ in range(POLLERS)]
        for thread in (changing, *threads):
            thread.start()
        found = self.server.load(KNOWN, 64, seconds)
        self.is_over.set()
        for thread in (changing, *threads):
            thread.join()
        if self.wrong:
            sys.exit(f"{self.server.name}: {len(self.wrong)} answers are wrong: {self.wrong[:5]}")
        return found | {
            "server": self.server.name, "changes": self.live - 1, "polls": self.polls,
            "seen": statistics.fmean(map(len, self.seen)) - 1,
        }


def cells(*values):
    return "| " + " | ".join(map(str, values)) + " |\n"


def report(loads, changes, arguments):
    middle = {
        case: {name: statistics.median(found[name] for found in rounds) for name in ("rate", "p99", "cpu")}
        for case, rounds in loads.items()
    }
    text = "# Results\n\n"
    text += f"{time.strftime('%Y-%m-%d')} · {os.cpu_count()} cores, medians of {arguments.rounds} rounds of {arguments.seconds} s, load and "
    text += f"databases on the same cores. Others used the machine as well: its load was {arguments.busy:.1f} before this began"
    text += ", so the rates are of a busy machine, and ratios and CPU times tell more.\n\n"
    text += cells("server", "asked", "connections", "requests/s", "of bare axum", f"of {GOAL:,}/s", "p99 (ms)", "CPU (µs a request)")
    text += cells("---", "---", *["--:"] * 6)
    for (name, what, connections), found in middle.items():
        bare = middle[BARE, what, connections]["rate"]
        text += cells(
            name, what, connections, f"{found['rate']:,.0f}", f"{found['rate'] / bare:.0%}", f"{found['rate'] / GOAL:.1f} ×",
            f"{found['p99']:.1f}", f"{found['cpu']:.0f}",
        )
    text += f"\nThe prompt changing every second, with 64 connections of load and {POLLERS} pollers that check:\n\n"
    text += cells("server", "requests/s", "p99 (ms)", "changes", "each poller saw", "polls checked", "older than before, or replaced")
    text += cells("---", *["--:"] * 6)
    for found in changes:
        text += cells(
            found["server"], f"{found['rate']:,.0f}", f"{found['p99']:.1f}", found["changes"], f"{found['seen']:.1f}", f"{found['polls']:,}", 0
        )
    return text


@contextlib.contextmanager
def postgres_database(pawl):
    with postgres() as (cluster, postmaster):
        run(["psql", "-qX", cluster, "-c", "create database bench_live"])
        owner = urllib.parse.urlsplit(cluster)._replace(path="/bench_live").geturl()
        migrated = run([pawl, "migrate", "--database-url", owner, "--runtime-role", "bench_live"])
        yield ["--database-url", migrated.strip()], postmaster, cluster


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=4, help="how long each load takes")
    parser.add_argument("--rounds", type=int, default=3, help="how often the servers take turns")
    parser.add_argument("--pawl", type=pathlib.Path, help="a binary that is there already; nothing is built")
    arguments = parser.parse_args()
    release = target_folder() / "release"
    if not arguments.pawl:
        build = ["cargo", "build", "--release", "-p", "pawl", "-p", "pawl-server", "--bin", "pawl", "--example", "live_bare"]
        subprocess.run(build, cwd=ROOT, check=True)
    pawl = arguments.pawl or release / "pawl"
    loads, changes, arguments.busy = defaultdict(list), [], os.getloadavg()[0]
    with tempfile.TemporaryDirectory(dir=target_folder()) as data, postgres_database(pawl) as (words, postmaster, cluster):
        sqlite = pawl_serving(pawl, "SQLite", ["--data", data], [])
        with sqlite as on_sqlite, pawl_serving(pawl, "PostgreSQL", words, [postmaster]) as on_postgres:
            body = on_sqlite.body.decode()
            with serving([release / "examples/live_bare", body]) as (process, url):
                servers = [Server(BARE, url, "none", [process.pid]), on_sqlite, on_postgres]
                for server in servers:
                    server.load(ANEW, 16, 1)
                for _ in range(arguments.rounds):
                    for what in (ANEW, KNOWN):
                        for connections in CONNECTIONS:
                            for server in servers:
                                found = server.load(what, connections, arguments.seconds)
                                print(f"{server.name:10} {what:13} {connections:3}: {found}", file=sys.stderr)
                                loads[server.name, what, connections].append(found)
            for server, named in ((on_sqlite, ["--data", data]), (on_postgres, words)):
                add_versions(named, cluster)
                changes.append(Changes(server, pawl, named).run(arguments.seconds * 4))
                print(changes[-1], file=sys.stderr)
    text = report(dict(sorted(loads.items(), key=lambda case: (case[0][1] != ANEW, case[0][2]))), changes, arguments)
    (HERE / "RESULTS.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
