"""Measures the server; see README.md beside this file."""

import argparse
import contextlib
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TABLE = "/rest/v1/sb_eval_runs"
SELECT = TABLE + "?select=id,created_at,run_name&status=eq.running&order=created_at.desc&limit=20"
JWT_SECRET = "a secret for a measurement that lasts a minute"
PASSWORD = "correct horse battery staple"


def target_folder():
    metadata = subprocess.run(
        ["cargo", "metadata", "--format-version", "1", "--no-deps"], cwd=ROOT, capture_output=True, check=True
    )
    return pathlib.Path(json.loads(metadata.stdout)["target_directory"])


def resident_mib(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024


@contextlib.contextmanager
def serving(command, environment=None):
    """A server that says on standard error where it answers: its process, that address, seconds to the first answer."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ | (environment or {}))
    try:
        line = process.stderr.readline()
        found = re.search(r"http://\S+", line)
        if not found:
            sys.exit(f"{command} says: {line}{process.stderr.read()}")
        with contextlib.suppress(urllib.error.HTTPError):
            urllib.request.urlopen(found.group(0) + "/readyz").read()
        yield process, found.group(0), time.perf_counter() - start
    finally:
        process.terminate()
        process.wait()


def post(url, key, body):
    headers = {"apikey": key, "authorization": f"Bearer {key}", "content-type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    return json.loads(urllib.request.urlopen(request).read())


def anon_key():
    """The public key, as the server makes it of the secret that it is given."""
    import base64
    import hashlib
    import hmac

    def encode(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    claims = {"role": "anon", "iat": int(time.time()), "exp": int(time.time()) + 3600}
    head = encode(b'{"alg":"HS256","typ":"JWT"}') + b"." + encode(json.dumps(claims).encode())
    return (head + b"." + encode(hmac.digest(JWT_SECRET.encode(), head, hashlib.sha256))).decode()


def load(url, script, connections, seconds, keys):
    """Requests a second and the 99th percentile in milliseconds; anything but a 2xx ends the measurement."""
    command = ["wrk", "-t2", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", str(HERE / script), url]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | keys).stdout
    if "Non-2xx" in said or "Socket errors" in said:
        sys.exit(f"{script} at {url}:\n{said}")
    number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", said).groups()
    return float(re.search(r"Requests/sec:\s+([\d.]+)", said).group(1)), float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def loads(name, url, seconds, keys, settle=lambda: None):
    for what, script, path in (("insert", "insert.lua", TABLE), ("select", "select.lua", SELECT)):
        settle()
        for connections in (16, 64):
            load(url + path, script, connections, 1, keys)
            rate, p99 = load(url + path, script, connections, seconds, keys)
            print(f"{name:12} {what} {connections:3} connections: {rate:8.0f}/s, p99 {p99:7.2f} ms", file=sys.stderr)
            yield {"server": name, "what": what, "connections": connections, "rate": rate, "p99": p99}


def measure(name, pawl, database, seconds, settle=lambda: None):
    """All figures of one engine; `database` makes the words that name its database in a folder."""
    environment = {"PAWL_JWT_SECRET": JWT_SECRET, "RUST_LOG": "warn"}
    starts = []
    with tempfile.TemporaryDirectory() as folder:
        command = [pawl, "serve", "--listen", "127.0.0.1:0", *database(folder)]
        with serving(command, environment) as (process, _, first):
            time.sleep(2)
            fresh = resident_mib(process)
        for _ in range(10):
            with serving(command, environment) as (_, _, seconds_to_answer):
                starts.append(seconds_to_answer)
        with serving(command, environment) as (process, url, _):
            key = anon_key()
            session = post(url + "/auth/v1/signup", key, {"email": "bench@example.org", "password": PASSWORD})
            keys = {"ANON_KEY": key, "ACCESS_TOKEN": session["access_token"]}
            results = list(loads(name, url, seconds, keys, settle))
            time.sleep(2)
            loaded = resident_mib(process)
    return results, {
        "server": name, "first": first * 1000, "start": statistics.median(starts) * 1000, "fresh": fresh, "loaded": loaded,
    }


def postgres_database(pawl, server):
    """Makes a database with its own owner and runtime role on this test server."""
    name = f"pawl_bench_{os.getpid()}"
    psql = ["psql", "-qX", "-v", "ON_ERROR_STOP=1", server, "-c"]
    subprocess.run([*psql, f"create database {name}"], check=True)
    owner = server.rsplit("/", 1)[0] + "/" + name
    made = subprocess.run(
        [pawl, "migrate", "--database-url", owner, "--runtime-role", name], capture_output=True, text=True, check=True
    )

    def analyze():
        # What autovacuum does within a minute: without statistics no planner knows that an order has an index.
        subprocess.run(["psql", "-qX", owner, "-c", "analyze"], check=True)

    def drop():
        subprocess.run([*psql, f"drop database {name} with (force)"], check=True)
        subprocess.run([*psql, f"drop role {name}"], check=True)

    return made.stdout.strip(), analyze, drop


def write(results, servers, seconds):
    bare = {(row["what"], row["connections"]): row["rate"] for row in results if row["server"] == "bare axum"}
    lines = [
        "# Results", "",
        f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()} {platform.release()}; {seconds} s each, wrk on the same cores.", "",
        "| server | request | connections | requests/s | p99 (ms) | of bare axum |", "|---|---|---:|---:|---:|---:|",
    ]
    for row in results:
        share = row["rate"] / bare[row["what"], row["connections"]]
        lines.append(
            f"| {row['server']} | {row['what']} | {row['connections']} | {row['rate']:,.0f} | {row['p99']:.2f} | {share:.1%} |"
        )
    lines += [
        "", "| server | first start, with an empty database (ms) | start to first answer (ms, median of 10) | idle (MiB) | idle after load (MiB) |",
        "|---|---:|---:|---:|---:|",
    ]
    for row in servers:
        lines.append(f"| {row['server']} | {row['first']:.0f} | {row['start']:.0f} | {row['fresh']:.1f} | {row['loaded']:.1f} |")
    text = "\n".join(lines) + "\n"
    (HERE / "RESULTS.md").write_text(text, encoding="utf-8")
    print(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=10, help="how long each measurement takes")
    arguments = parser.parse_args()
    server = os.environ.get("PAWL_TEST_POSTGRES_URL") or sys.exit("PAWL_TEST_POSTGRES_URL is not set: scripts/postgres start")
    build = ["cargo", "build", "--release", "-p", "pawl", "-p", "pawl-server", "--bin", "pawl", "--example", "bare"]
    subprocess.run(build, cwd=ROOT, check=True)
    release = target_folder() / "release"
    pawl = str(release / "pawl")
    no_keys = {"ANON_KEY": "none", "ACCESS_TOKEN": "none"}
    with serving([str(release / "examples/bare")]) as (_, url, _):
        results = list(loads("bare axum", url, arguments.seconds, no_keys))
    servers = []
    url, analyze, drop = postgres_database(pawl, server)
    try:
        engines = (
            ("SQLite", lambda folder: ["--data", folder], lambda: None),
            ("PostgreSQL", lambda _: ["--database-url", url], analyze),
        )
        for name, database, settle in engines:
            rows, figures = measure(name, pawl, database, arguments.seconds, settle)
            results += rows
            servers.append(figures)
    finally:
        drop()
    write(results, servers, arguments.seconds)


if __name__ == "__main__":
    main()
