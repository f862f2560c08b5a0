"""Times pages; see README.md beside this file."""

import argparse
import http.client
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "bench/intake"))

from machine import run, serving, target_folder  # noqa: E402

EMAIL, PASSWORD = "bench@example.org", "correct horse battery staple"


class Browser:
    """Keeps a connection and a cookie."""

    def __init__(self, url):
        self.host = urllib.parse.urlsplit(url).netloc
        self.connection, self.cookie = http.client.HTTPConnection(self.host), ""

    def ask(self, method, path, form=None):
        headers = {"host": self.host, "cookie": self.cookie, "sec-fetch-site": "same-origin", "accept": "text/html"}
        if form:
            headers["content-type"] = "application/x-www-form-urlencoded"
        self.connection.request(method, path, form and urllib.parse.urlencode(form), headers)
        answer = self.connection.getresponse()
        body = answer.read().decode()
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                self.cookie = value.split(";")[0]
        return answer.status, body

    def page(self, path):
        status, body = self.ask("GET", path)
        if status != 200:
            sys.exit(f"{path} is answered with {status}")
        return body


def prepare(pawl, history, data, rows):
    """A user with interactions and runs."""
    run([pawl, "user", "add", EMAIL, "--password-stdin", "--json", "--data", data], input=PASSWORD)
    database = f"sqlite:{data}/pawl.db"
    run([history, "fill", database, rows, "usual"])
    run([history, "index", database])
    for flags in (["--flawed"], []):
        target = " ".join(["exec:" + str(pawl), "story-agent", *flags])
        words = [str(pawl), "run", "examples/stories/inputs.json", "--target", target, "--checks", "user-story", "--data", data]
        # That cases fail is what the flawed one is for.
        if subprocess.run(words, cwd=ROOT, capture_output=True, check=False).returncode > 1:
            sys.exit("the runs cannot be made")


def pages(browser):
    runs = list(dict.fromkeys(re.findall(r"/runs/([0-9a-f-]{36})", browser.page("/runs"))))
    row = re.search(r"/interactions/([0-9a-f-]{36})", browser.page("/interactions")).group(1)
    return {
        "dashboard, 7 days": "/dashboard?days=7",
        "dashboard, 30 days": "/dashboard?days=30",
        "interactions": "/interactions",
        "interactions, worst first": "/interactions?sort=lowest-score",
        "interactions, with a flag": "/interactions?flag=hallucination",
        "interactions, below a score": "/interactions?score_max=0.3",
        "interactions, a word": "/interactions?q=nerbal",
        "an interaction": f"/interactions/{row}",
        "settings": "/settings",
        "runs": "/runs",
        "a run": f"/runs/{runs[0]}",
        "a comparison": f"/runs/{runs[1]}/compare/{runs[0]}",
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    build = ["cargo", "build", "--release", "-p", "pawl", "-p", "pawl-engine", "--bin", "pawl", "--example", "intake_history"]
    subprocess.run(build, cwd=ROOT, check=True)
    release = target_folder() / "release"
    pawl, lines = release / "pawl", []
    with tempfile.TemporaryDirectory(dir=target_folder()) as data:
        prepare(pawl, release / "examples/intake_history", data, arguments.rows)
        with serving([pawl, "serve", "--listen", "127.0.0.1:0", "--data", data], {"RUST_LOG": "warn"}) as (_, url):
            browser = Browser(url)
            status, _ = browser.ask("POST", "/login", {"email": EMAIL, "password": PASSWORD})
            if status != 303:
                sys.exit(f"the log-in is answered with {status}")
            for name, path in pages(browser).items():
                took, size = [], len(browser.page(path))
                for _ in range(arguments.rounds):
                    started = time.perf_counter()
                    browser.page(path)
                    took.append((time.perf_counter() - started) * 1_000)
                worst = statistics.quantiles(took, n=20)[-1]
                lines.append(f"| {name} | {statistics.median(took):,.1f} | {worst:,.1f} | {size / 1000:,.0f} |")
                print(lines[-1], file=sys.stderr)
    text = f"# Results\n\n{arguments.rows:,} interactions on SQLite, medians and 95th percentiles of {arguments.rounds} requests.\n\n"
    text += "| page | p50 (ms) | p95 (ms) | kB, uncompressed |\n|---|---:|---:|---:|\n" + "\n".join(lines) + "\n"
    (HERE / "RESULTS.md").write_text(text, encoding="utf-8")
    print(json.dumps({"pages": len(lines)}))


if __name__ == "__main__":
    main()
