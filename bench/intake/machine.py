"""Processes: servers, what they use of the machine, load on them, and a durable PostgreSQL."""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
INGEST = "/api/evals/ingest"
TICKS = os.sysconf("SC_CLK_TCK")
DURABLE = ("fsync=on", "synchronous_commit=on", "full_page_writes=on")
# Milliseconds of the units that wrk prints.
UNITS = {"us": 0.001, "ms": 1, "s": 1000}


def run(command, **options):
    """What a program says on standard output."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{command} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


def target_folder():
    metadata = run(["cargo", "metadata", "--format-version", "1", "--no-deps"], cwd=ROOT)
    return pathlib.Path(json.loads(metadata)["target_directory"])


def processes(root):
    """A process and all that descend from it."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
                children.setdefault(int(fields[1]), []).append((int(entry.name), fields))
    found, waiting = [], [root]
    every = {pid: fields for group in children.values() for pid, fields in group}
    while waiting:
        pid = waiting.pop()
        if pid in every:
            found.append((pid, every[pid]))
        waiting += [child for child, _ in children.get(pid, [])]
    return found


def cpu_seconds(root):
    """CPU time of a process and of its descendants, those that have ended as well."""
    return sum(sum(map(int, fields[11:15])) for _, fields in processes(root)) / TICKS


def peak_mib(root):
    """Peak resident memory of a process and its descendants, added up."""
    peak = 0
    for pid, _ in processes(root):
        with contextlib.suppress(OSError):
            status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
            found = re.search(r"VmHWM:\s+(\d+)", status)
            peak += int(found.group(1)) if found else 0
    return peak / 1024


def settle(roots):
    """Waits until processes have nothing left to do, for at most a minute."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        before = sum(map(cpu_seconds, roots))
        time.sleep(0.5)
        if sum(map(cpu_seconds, roots)) - before < 0.03:
            return


def ask(url, headers=None, body=None, method=None):
    """Headers and body of an answer."""
    request = urllib.request.Request(url, body and json.dumps(body).encode(), headers or {}, method=method)
    with urllib.request.urlopen(request) as answer:
        return answer.headers, answer.read()


@contextlib.contextmanager
def serving(command, environment=None):
    """A server that says on standard error where it answers: its process and that address."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ | (environment or {}))
    try:
        line = process.stderr.readline()
        found = re.search(r"http://\S+", line)
        if not found:
            sys.exit(f"{command} says: {line}{process.stderr.read()}")
        yield process, found.group(0)
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def postgres(*settings):
    """A cluster that keeps what it has committed: the URL of its superuser and the id of its first process."""
    # Its owner is somebody else and must be able to reach the folder, on a disk.
    cluster = pathlib.Path(f"/var/tmp/pawl-bench-postgres.{os.getpid()}")
    url = run([ROOT / "scripts/postgres", "start", cluster, *DURABLE, *settings]).strip()
    try:
        pid = (cluster / "data/postmaster.pid").read_text(encoding="utf-8").split()[0]
        yield url, int(pid)
    finally:
        run([ROOT / "scripts/postgres", "stop", cluster])


def load(url, connections, seconds, environment):
    """Requests a second, and the 50th and 99th percentile in milliseconds; an error ends the measurement."""
    command = ["wrk", f"-t{min(connections, 2)}", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", HERE / "post.lua", url + INGEST]
    said = run(command, env=os.environ | environment)
    if "Non-2xx" in said or "Socket errors" in said:
        sys.exit(f"load on {url}:\n{said}")

    def percentile(share):
        number, unit = re.search(rf"{share}%\s+([\d.]+)(us|ms|s)", said).groups()
        return float(number) * UNITS[unit]

    return {
        "requests": int(re.search(r"(\d+) requests in", said).group(1)),
        "rate": float(re.search(r"Requests/sec:\s+([\d.]+)", said).group(1)),
        "p50": percentile(50),
        "p99": percentile(99),
    }
