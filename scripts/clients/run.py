"""Runs the real Supabase clients, and OpenTelemetry's, against `pawl serve` on both databases.

    run.py --pawl target/debug/pawl --node-modules FOLDER

Each client asserts for itself; of the example that fills a user's tables it is looked at what they hold then. Besides, everything that goes over the wire passes a recording proxy, and what both
databases answered must be the same bytes, apart from ids, times, keys and lengths that follow from them.
"""

import argparse
import difflib
import http.client
import http.server
import json
import os
import pathlib
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLE = HERE.parent.parent / "examples" / "supabase"
KEPT_HEADERS = ("content-type", "content-range", "location", "preference-applied", "x-total-count", "allow")


class Recorder:
    """A reverse proxy on a free port that writes every exchange down."""

    def __init__(self, port):
        self.exchanges, self.lock = [], threading.Lock()
        recorder = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def forward(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                upstream = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                headers = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "connection", "accept-encoding")}
                upstream.request(self.command, self.path, body or None, headers)
                answer = upstream.getresponse()
                content = answer.read()
                with recorder.lock:
                    recorder.exchanges.append((self.command, self.path, body, answer.status, answer.getheaders(), content))
                self.send_response_only(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                        self.send_header(name, value)
                self.send_header("content-length", answer.getheader("content-length") if self.command == "HEAD" and answer.getheader("content-length") else str(len(content)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)
                upstream.close()

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = forward

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def transcript(self):
        """All exchanges as text: what differs by nature is numbered in the order in which it first came up."""
        lines = []
        for command, path, body, status, headers, content in self.exchanges:
            lines.append(f"> {command} {urllib.parse.unquote(path)}")
            if body:
                lines.append(body.decode(errors="replace"))
            lines.append(f"< {status}")
            kept = sorted((name.lower(), value) for name, value in headers if name.lower() in KEPT_HEADERS)
            lines.extend(f"{name}: {value}" for name, value in kept)
            lines.append(content.decode())
            lines.append("")
        return normalised("\n".join(lines))


def normalised(text):
    for name, pattern in (
        ("jwt", r"eyJ[\w-]+\.[\w-]+\.[\w-]+"),
        ("uuid", r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"),
        ("time", r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?"),
    ):
        seen = {}
        text = re.sub(pattern, lambda found: f"<{name} {seen.setdefault(found[0], len(seen) + 1)}>" if name == "uuid" else f"<{name}>", text)
    text = re.sub(r'("refresh_token":\s*")[^"]+', r"\1<token>", text)
    text = re.sub(r'("expires_at":\s*)\d+', r"\1<seconds>", text)
    return re.sub(r"http://127\.0\.0\.1:\d+", "<server>", text)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def postgres_url(pawl):
    """A fresh database with an owner of its own, migrated; the URL of its runtime role."""
    server = os.environ["PAWL_TEST_POSTGRES_URL"]
    name = f"pawl_clients_{os.getpid()}"
    base = urllib.parse.urlsplit(server)
    for statement in (
        f"create role {name} login createrole password 'for-tests-only'",
        f"create database {name} owner {name}",
    ):
        subprocess.run(["psql", "--quiet", "--no-psqlrc", server, "-c", statement], check=True)
    owner = f"postgres://{name}:for-tests-only@{base.hostname}:{base.port}/{name}"
    migrated = subprocess.run(
        [pawl, "migrate", "--database-url", owner, "--runtime-role", f"{name}_app"], check=True, capture_output=True
    )
    return migrated.stdout.decode().strip()


def run_clients(pawl, engine, modules, folder):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PAWL_", "SUPABASE_", "DATABASE_URL"))}
    environment["PAWL_DATA_DIR"] = str(folder)
    if engine == "postgres":
        environment["PAWL_DATABASE_URL"] = postgres_url(pawl)
    port = free_port()
    server = subprocess.Popen([pawl, "serve", "--listen", f"127.0.0.1:{port}"], env=environment, stderr=subprocess.PIPE)
    log = []
    threading.Thread(target=lambda: log.extend(server.stderr), daemon=True).start()
    try:
        for _ in range(200):
            try:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
                connection.request("GET", "/readyz")
                if connection.getresponse().status == 200:
                    break
            except OSError:
                pass
            if server.poll() is not None:
                sys.exit(f"pawl serve ended:\n{b''.join(log).decode()}")
            time.sleep(0.05)
        recorder = Recorder(port)
        keys = subprocess.run([pawl, "keys", "--json"], env=environment, check=True, capture_output=True)
        keys = json.loads(keys.stdout)
        client_environment = {
            **environment,
            "SUPABASE_URL": f"http://127.0.0.1:{recorder.port}",
            "SUPABASE_ANON_KEY": keys["anon_key"],
            "SUPABASE_SERVICE_ROLE_KEY": keys["service_role_key"],
            "INGESTION_API_SECRET": keys["ingestion_secret"],
        }
        app = folder / "app.mjs"
        app.write_text((HERE / "app.mjs").read_text(encoding="utf-8"), encoding="utf-8")
        (folder / "node_modules").symlink_to(modules)
        tenant = ["ingest@example.org", "--id", "a1b2c3d4-e5f6-7890-abcd-ef1234567890"]
        for command in (
            [sys.executable, str(HERE / "writer.py")],
            ["node", str(app)],
            [pawl, "user", "add", *tenant],
            [str(HERE / "ingest.sh")],
        ):
            client = subprocess.run(command, env=client_environment, capture_output=True, text=True, timeout=120)
            if client.returncode != 0:
                last = "\n".join(recorder.transcript().splitlines()[-12:])
                sys.exit(f"{command[-1]} on {engine}:\n{client.stdout}{client.stderr}\nlast exchange:\n{last}\n{b''.join(log[-20:]).decode()}")
            print(f"{engine}: {client.stdout.strip()}", flush=True)
        trace(pawl, engine, {**client_environment, "PAWL_URL": f"http://127.0.0.1:{port}"}, tenant[0])
        fill(pawl, engine, environment, port, folder)
        return recorder.transcript(), len(recorder.exchanges)
    finally:
        server.terminate()
        server.wait(timeout=15)


def trace(pawl, engine, environment, tenant):
    """Spans of OpenTelemetry's SDK, whose ids are its own each time: they pass no recorder."""
    key = [pawl, "key", "create", "--user", tenant, "--scope", "ingest"]
    key = subprocess.run(key, env=environment, check=True, capture_output=True, text=True).stdout.strip()
    command = [sys.executable, str(HERE / "traces.py")]
    client = subprocess.run(command, env={**environment, "PAWL_INGEST_KEY": key}, capture_output=True, text=True, timeout=120)
    if client.returncode != 0:
        sys.exit(f"traces.py on {engine}:\n{client.stdout}{client.stderr}")
    print(f"{engine}: {client.stdout.strip()}", flush=True)


def fill(pawl, engine, environment, port, folder):
    """Follows the steps of examples/supabase, and counts what is stored and added up then."""
    added = subprocess.run([pawl, "user", "add", "seed@example.org", "--json"], env=environment, check=True, capture_output=True)
    user = json.loads(added.stdout)["id"]
    example = folder / "supabase"
    shutil.copytree(EXAMPLE, example, ignore=shutil.ignore_patterns("node_modules", ".env"))
    (example / "node_modules").symlink_to(EXAMPLE / "node_modules")
    script = example / "scripts" / "seed.ts"
    text = script.read_text(encoding="utf-8")
    assert text.count("'YOUR_USER_ID'") == 1, "the placeholder stands there once"
    script.write_text(text.replace("YOUR_USER_ID", user), encoding="utf-8")
    keys = [pawl, "keys", "--env", "--url", f"http://127.0.0.1:{port}"]
    (example / ".env").write_bytes(subprocess.run(keys, env=environment, check=True, capture_output=True).stdout)
    seed = subprocess.run(["npm", "run", "seed"], cwd=example, env=environment, capture_output=True, text=True, timeout=300)
    if seed.returncode != 0:
        sys.exit(f"npm run seed on {engine}:\n{seed.stdout}{seed.stderr}")
    stored, added_up = (
        [number(engine, environment, f"select sum({what}) from {table} where user_id = '{user}'") for what in columns]
        for table, columns in (
            ("evaluations", ["1", "pii_tokens_redacted"]),
            ("interaction_rollups", ["cast(data ->> 'n' as int)", "cast(data ->> 'r' as int)"]),
        )
    )
    if stored[0] != 20_000 or stored != added_up:
        sys.exit(f"npm run seed on {engine}: rows and redactions stored {stored}, added up {added_up}")
    print(f"{engine}: npm run seed: {stored[0]} rows, all of them added up", flush=True)


def number(engine, environment, query):
    """The number that a query gives, asked as the service."""
    if engine == "sqlite":
        with sqlite3.connect(pathlib.Path(environment["PAWL_DATA_DIR"], "pawl.db")) as database:
            return database.execute(query).fetchone()[0]
    claims = """set request.jwt.claims = '{"role":"service_role"}'"""
    psql = ["psql", "--quiet", "--no-psqlrc", "--tuples-only", environment["PAWL_DATABASE_URL"], "-c", claims, "-c", query]
    return int(subprocess.run(psql, check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pawl", required=True)
    parser.add_argument("--node-modules", required=True)
    parser.add_argument("--keep", help="folder for the transcripts")
    arguments = parser.parse_args()
    pawl, modules = os.path.abspath(arguments.pawl), os.path.abspath(arguments.node_modules)
    transcripts = {}
    for engine in ("sqlite", "postgres"):
        with tempfile.TemporaryDirectory(prefix="pawl-clients-") as folder:
            transcripts[engine], exchanges = run_clients(pawl, engine, modules, pathlib.Path(folder))
        if arguments.keep:
            pathlib.Path(arguments.keep, f"{engine}.txt").write_text(transcripts[engine], encoding="utf-8")
    if exchanges < 50:
        sys.exit(f"only {exchanges} exchanges were recorded")
    if transcripts["sqlite"] != transcripts["postgres"]:
        lines = difflib.unified_diff(*(transcripts[engine].splitlines() for engine in transcripts), *transcripts, lineterm="", n=4)
        sys.exit("the databases do not answer alike:\n" + "\n".join(list(lines)[:80]))
    print(f"{exchanges} exchanges on each database, the same bytes")


if __name__ == "__main__":
    main()
