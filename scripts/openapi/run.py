"""Sends what Schemathesis makes of the OpenAPI document to `pawl serve`, as the service and as a user.

    run.py --pawl target/debug/pawl [--database-url URL] [--seconds 300]

Half of the time each. Nothing may be answered with an error of the server, or a status that the document does not name; and what
belongs to another user must stay as it is.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

CHECKS = "not_a_server_error,status_code_conformance"
TABLES = ("sb_sessions", "sb_eval_runs", "evaluations", "evaluation_configs")
PASSWORD = "correct horse battery staple"


def pawl(arguments, *words, **options):
    database = ["--database-url", arguments.database_url] if arguments.database_url else ["--data", arguments.data]
    done = subprocess.run([arguments.pawl, *words, *database], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"pawl {words[0]} ended with {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout)


def ask(url, headers, body=None, method=None):
    content = body and json.dumps(body).encode()
    request = urllib.request.Request(url, content, {"content-type": "application/json", **headers}, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read() or "null")


def supabase(key, token=None):
    return {"apikey": key, "authorization": f"Bearer {token or key}"}


def log_in(url, keys, email):
    answer = ask(f"{url}/auth/v1/token?grant_type=password", supabase(keys["anon_key"]), {"email": email, "password": PASSWORD})
    return answer["access_token"]


def schemathesis(url, headers, seconds, excluded):
    command = [pathlib.Path(sys.executable).parent / "schemathesis", "run", f"{url}/openapi.json"]
    command += ["--checks", CHECKS, "--max-time", str(seconds), "--workers", "4", "--no-color", "--warnings", "off"]
    # Its phase of coverage trips over itself.
    command += ["--phases", "examples,fuzzing,stateful"]
    command += ["--suppress-health-check", "all", "--request-timeout", "30"]
    command += [word for path in excluded for word in ("--exclude-path", path)]
    command += [word for name, value in headers.items() for word in ("--header", f"{name}: {value}")]
    return subprocess.run(command, check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pawl", required=True)
    parser.add_argument("--database-url", help="a database without users; otherwise one in a folder of its own")
    parser.add_argument("--seconds", type=int, default=600)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as data:
        arguments.data = data
        users = {
            email: pawl(arguments, "user", "add", email, "--password-stdin", "--json", input=PASSWORD)["id"]
            for email in ("a@example.org", "b@example.org")
        }
        keys = pawl(arguments, "keys", "--json")
        database = ["--database-url", arguments.database_url] if arguments.database_url else ["--data", data]
        log = open(os.path.join(data, "log"), "w+", encoding="utf-8")
        server = subprocess.Popen([arguments.pawl, "serve", "--listen", "127.0.0.1:0", *database], stderr=log)
        try:
            url = None
            while not url:
                said = pathlib.Path(log.name).read_text(encoding="utf-8")
                found = re.search(r"http://\S+", said)
                url = found and found.group(0)
                if server.poll() is not None:
                    sys.exit(said)
            service = supabase(keys["service_role_key"])
            of_b = users["b@example.org"]
            rows = {
                "sb_sessions": {"title": "of b"},
                "sb_eval_runs": {"dataset_version": "of b"},
                "evaluations": {"interaction_id": "of b", "prompt": "of b", "response": "of b"},
                "evaluation_configs": {"max_eval_per_day": 7},
            }
            for table, row in rows.items():
                ask(f"{url}/rest/v1/{table}", service, row | {"user_id": of_b})

            def rows_of_b():
                return [ask(f"{url}/rest/v1/{table}?user_id=eq.{of_b}&order=id", service) for table in TABLES]

            before = rows_of_b()
            # Who changes their password or logs out is somebody else afterwards.
            own = supabase(keys["anon_key"], log_in(url, keys, "a@example.org"))
            failed = schemathesis(url, own, arguments.seconds // 2, ["/auth/v1/user", "/auth/v1/logout"])
            if rows_of_b() != before:
                sys.exit("a user has changed rows of another")
            # Nor may the service delete whom it asks for.
            secret = {"x-ingestion-secret": keys["ingestion_secret"]}
            failed += schemathesis(url, service | secret, arguments.seconds // 2, ["/auth/v1/user", "/auth/v1/logout"])
        finally:
            server.terminate()
            server.wait()
            log.seek(0)
            panics = [line for line in log if "panic" in line]
            log.close()
        sys.exit("".join(panics) if panics else bool(failed))


if __name__ == "__main__":
    main()
