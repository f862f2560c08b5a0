"""Sends interactions with their scores to a peer, and tells how many of them it gives back; runs in the peer's venv.

    peer_client.py phoenix|mlflow URL INTERACTIONS COUNT

Spans go by OTLP, an array of them per request. Phoenix takes scores in arrays as well, MLflow one per request.
"""

import concurrent.futures
import json
import sys
import threading
import time

import requests
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

BATCH = 100
SENDERS = 8
# For how long a peer that answers before it has stored is waited for.
PATIENCE = 120
local = threading.local()


def session():
    """Each thread keeps its connection."""
    if not hasattr(local, "session"):
        local.session = requests.Session()
    return local.session


def send(method, url, **options):
    answer = session().request(method, url, timeout=PATIENCE, **options)
    answer.raise_for_status()
    return answer


def spans(rows):
    """One span for each interaction, the root of a trace of its own, as OTLP has it."""
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    for row in rows:
        span = scope.spans.add()
        span.trace_id, span.span_id, span.name = row["trace"], row["span"], "interaction"
        span.start_time_unix_nano = row["start"]
        span.end_time_unix_nano = row["start"] + row["latency_ms"] * 1_000_000
        attributes = {
            "openinference.span.kind": "AGENT",
            "input.value": row["prompt"],
            "output.value": row["response"],
            "session.id": row["id"],
            "user.id": row["user_id"],
            "metadata": json.dumps({"flags": row["flags"]}),
        }
        for key, value in attributes.items():
            attribute = span.attributes.add()
            attribute.key, attribute.value.string_value = key, value
    return request.SerializeToString()


class Phoenix:
    """Its answers come before it has stored anything, and a score waits for its span."""

    def __init__(self, url):
        self.url = url
        self.project = f"{url}/v1/projects/bench"

    def store(self, rows):
        headers = {"content-type": "application/x-protobuf", "x-project-name": "bench"}
        send("POST", f"{self.url}/v1/traces", data=spans(rows), headers=headers)

    def wait(self, row):
        """Until the span is there; scores that come before their spans cost it more."""
        deadline = time.perf_counter() + PATIENCE
        while not self.listed("spans", {"span_id": [row["span"].hex()]}) and time.perf_counter() < deadline:
            time.sleep(0.2)

    def score(self, rows):
        scores = [
            {"span_id": row["span"].hex(), "name": "score", "annotator_kind": "CODE", "result": {"score": row["score"]}}
            for row in rows
            if row["score"] is not None
        ]
        send("POST", f"{self.url}/v1/span_annotations", json={"data": scores})

    def stored(self, rows):
        """The ids of those rows that can be read with their scores."""
        ids = [row["span"].hex() for row in rows]
        found = self.listed("spans", {"span_id": ids, "limit": 1000})
        texts = {span["context"]["span_id"]: span["attributes"] for span in found}
        found = self.listed("span_annotations", {"span_ids": ids, "limit": 1000})
        scores = {annotation["span_id"]: annotation["result"]["score"] for annotation in found}
        return {
            row["id"]
            for row, id in zip(rows, ids)
            if texts.get(id, {}).get("output.value") == row["response"] and scores.get(id) == row["score"]
        }


    def listed(self, what, parameters):
        answer = session().get(f"{self.project}/{what}", params=parameters, timeout=PATIENCE)
        # The project comes into being with its first span.
        return [] if answer.status_code == 404 else answer.json()["data"]


class MLflow:
    """What it has answered is stored."""

    def __init__(self, url):
        self.url = url

    def store(self, rows):
        headers = {"content-type": "application/x-protobuf", "x-mlflow-experiment-id": "0"}
        send("POST", f"{self.url}/v1/traces", data=spans(rows), headers=headers)

    def wait(self, row):
        pass

    def score(self, rows):
        for row in rows:
            if row["score"] is not None:
                self.score_one(row)

    def score_one(self, row):
        trace = f"tr-{row['trace'].hex()}"
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        assessment = {
            "assessment_name": "score",
            "trace_id": trace,
            "source": {"source_type": "CODE", "source_id": "bench"},
            "create_time": now,
            "last_update_time": now,
            "feedback": {"value": row["score"]},
        }
        send("POST", f"{self.url}/api/3.0/mlflow/traces/{trace}/assessments", json={"assessment": assessment})

    def stored(self, rows):
        found = {}
        for first in range(0, len(rows), 25):
            ids = [f"tr-{row['trace'].hex()}" for row in rows[first : first + 25]]
            answer = send("GET", f"{self.url}/api/3.0/mlflow/traces/batchGet", params={"trace_ids": ids})
            for trace in answer.json().get("traces", []):
                found[trace["trace_info"]["trace_id"]] = trace
        return {row["id"] for row in rows if self.is_whole(row, found.get(f"tr-{row['trace'].hex()}"))}

    @staticmethod
    def is_whole(row, trace):
        assessments = trace["trace_info"].get("assessments", []) if trace else []
        scores = [assessment["feedback"]["value"] for assessment in assessments]
        return trace and row["response"] in json.dumps(trace["spans"]) and scores == [
            row["score"] for _ in range(row["score"] is not None)
        ]


def main():
    name, url, file, count = sys.argv[1:]
    peer = {"phoenix": Phoenix, "mlflow": MLflow}[name](url)
    with open(file, encoding="utf-8") as lines:
        interactions = [json.loads(line) for line in lines]
    now = time.time_ns()
    rows = []
    for number in range(int(count)):
        ids = {"id": f"interaction-{number}", "trace": (1 << 64 | number + 1).to_bytes(16), "span": (number + 1).to_bytes(8)}
        rows.append(interactions[number % len(interactions)] | ids | {"start": now + number * 1_000_000})
    batches = [rows[first : first + BATCH] for first in range(0, len(rows), BATCH)]
    start = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(SENDERS) as senders:
        list(senders.map(peer.store, batches))
        peer.wait(rows[-1])
        list(senders.map(peer.score, batches))
    # The last batch says when it is time to look at the others; looking itself takes the peer's time.
    deadline = time.perf_counter() + PATIENCE
    while len(peer.stored(batches[-1])) < len(batches[-1]) and time.perf_counter() < deadline:
        time.sleep(0.5)
    seconds = time.perf_counter() - start
    stored = sum(len(peer.stored(batch)) for batch in batches)
    print(json.dumps({"sent": len(rows), "stored": stored, "seconds": seconds}))


if __name__ == "__main__":
    main()
