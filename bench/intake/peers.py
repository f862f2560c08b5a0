"""Arize Phoenix and MLflow: installed, started with their defaults over SQLite, and given interactions."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error

from machine import HERE, ask, cpu_seconds, peak_mib, run, settle

PACKAGES = {"phoenix": ["arize-phoenix"], "mlflow": ["mlflow"]}
# What the client needs besides; both servers bring most of it.
CLIENT = ["requests", "opentelemetry-proto"]


def installed(name, folder):
    """The programs of a peer in a venv of its own, made if it is missing."""
    venv = folder / name
    complete = venv / "complete"
    if not complete.exists():
        print(f"installing {name}", file=sys.stderr)
        run([sys.executable, "-m", "venv", venv])
        run([venv / "bin/pip", "install", "--quiet", *PACKAGES[name], *CLIENT])
        complete.touch()
    return venv / "bin"


def version(programs, package):
    shown = run([programs / "pip", "show", package])
    return next(line.split()[1] for line in shown.splitlines() if line.startswith("Version:"))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def command(name, programs, folder, port):
    if name == "phoenix":
        return [programs / "phoenix", "serve"], {
            "PHOENIX_WORKING_DIR": str(folder), "PHOENIX_HOST": "127.0.0.1", "PHOENIX_PORT": str(port),
            "PHOENIX_GRPC_PORT": str(free_port()), "PHOENIX_TELEMETRY_ENABLED": "false",
        }
    database = f"sqlite:///{folder}/mlflow.db"
    serve = ["server", "--backend-store-uri", database, "--artifacts-destination", folder, "--port", str(port)]
    return [programs / "mlflow", *serve], {"MLFLOW_DISABLE_TELEMETRY": "true"}


def wait_for(url, process):
    for _ in range(600):
        if process.poll() is not None:
            sys.exit(f"{process.args} ended with {process.returncode}")
        try:
            return ask(url + "/healthz" if "phoenix" in str(process.args[0]) else url + "/health")
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
    sys.exit(f"{process.args} does not answer")


def measure(name, venvs, folder, interactions, count):
    """Interactions that a peer has stored a second, its CPU time for each, and its memory."""
    programs = installed(name, venvs)
    port = free_port()
    words, environment = command(name, programs, folder, port)
    url = f"http://127.0.0.1:{port}"
    with open(folder / f"{name}.log", "w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [str(word) for word in words], stdout=log, stderr=log, cwd=folder, env=os.environ | environment
        )
        try:
            wait_for(url, process)
            settle([process.pid])
            before = cpu_seconds(process.pid)
            said = run([programs / "python", HERE / "peer_client.py", name, url, interactions, count])
            found = json.loads(said)
            settle([process.pid])
            cpu, peak = cpu_seconds(process.pid) - before, peak_mib(process.pid)
        finally:
            process.terminate()
            process.wait()
    if not found["stored"]:
        sys.exit(f"{name} gives nothing back; {folder / name}.log")
    return {
        "version": version(programs, PACKAGES[name][0]), "sent": found["sent"], "stored": found["stored"],
        "rate": found["stored"] / found["seconds"], "cpu": cpu / found["stored"], "peak": peak,
    }
