"""Holds our client of Firestore against Google's own, on the emulator: each reads what the other one wrote, and what ours
does not name stays as Google's wrote it, whatever its type.

    firestore.py --documents target/debug/examples/firestore_documents --pawl target/debug/pawl \\
        --server crates/pawl-testkit/firestore/server.cjs
"""

import argparse
import datetime
import json
import os
import subprocess

from google.api_core.exceptions import AlreadyExists, FailedPrecondition, NotFound
from google.auth.credentials import AnonymousCredentials
from google.cloud import firestore
from google.cloud.firestore_v1.base_query import FieldFilter

import firestore_suggestions

UTC = datetime.UTC if hasattr(datetime, "UTC") else datetime.timezone.utc
PREFIX = "team_"
DRAFT = {
    "eval_test_id": "eval_sugg_ours",
    "input": {"prompt": "Recommend a laptop.", "tools_involved": []},
    "assertions": {"required": ["Must call lookup"], "forbidden": [], "golden_output": None},
    "generated_at": "2025-12-29T12:00:00Z",
    "updated_at": "2025-12-29T12:00:00.000125Z",
    "generator_meta": {"temperature": 0.2, "run_id": "2025-12-29T12:00:00Z"},
}
OURS = {
    "suggestion_id": "sugg_ours",
    "status": "pending",
    "recurrence_count": 3,
    "is_new": True,
    "created_at": "2025-12-29T11:00:00Z",
    "updated_at": "2025-12-29T12:00:00Z",
    "source_traces": [{"trace_id": "t", "added_at": "2025-12-29T10:00:00Z", "similarity_score": None}],
    "version_history": [{"actor": "mining", "timestamp": "2025-12-29T11:00:00Z"}],
    "suggestion_content": {"eval_test": DRAFT},
}


def at(hour, microsecond=0):
    return datetime.datetime(2025, 12, 29, hour, 0, 0, microsecond, UTC)


class Ours:
    def __init__(self, program):
        self.program = program

    def run(self, *arguments, given=None):
        environment = {**os.environ, "FIRESTORE_COLLECTION_PREFIX": PREFIX}
        sent = None if given is None else json.dumps(given)
        run = subprocess.run([self.program, *arguments], input=sent, env=environment, check=True, capture_output=True, text=True)
        return json.loads(run.stdout) if run.stdout else None


def check_what_we_write(ours, suggestions):
    ours.run("put", "suggestions", given={"sugg_ours": OURS})
    read = suggestions.document("sugg_ours").get().to_dict()
    assert read["created_at"] == at(11) and read["updated_at"] == at(12)
    assert read["source_traces"][0]["added_at"] == at(10) and read["version_history"][0]["timestamp"] == at(11)
    draft = read["suggestion_content"]["eval_test"]
    assert draft["generated_at"] == at(12) and draft["updated_at"] == at(12, 125)
    # A text that looks like a time stays one elsewhere.
    assert draft["generator_meta"] == {"temperature": 0.2, "run_id": "2025-12-29T12:00:00Z"}
    assert draft["assertions"]["golden_output"] is None and draft["input"] == DRAFT["input"]
    assert read["recurrence_count"] == 3 and type(read["recurrence_count"]) is int and read["is_new"] is True
    assert ours.run("get", "suggestions", "sugg_ours", "none") == {"sugg_ours": OURS, "none": None}
    later = FieldFilter("created_at", ">", at(10, 999_999))
    assert [found.id for found in suggestions.where(filter=later).stream()] == ["sugg_ours"]


def check_what_google_writes(ours, client, suggestions):
    reference = suggestions.document("sugg_google")
    written = {
        "status": "pending",
        "created_at": at(9, 7),
        "embedding": [0.25, -1.5, 1e-9],
        "raw": b"\x00\xff",
        "place": firestore.GeoPoint(1.5, -2.5),
        "other": suggestions.document("sugg_ours"),
        "nothing": None,
        "whole": 1.0,
        "nested": {"it's `odd`.": [{"a": {}}], "at": at(8)},
        "suggestion_content": {"eval_test": {"title": "old"}, "guardrail": {"rule": "kept"}},
        "approval_metadata": {"timestamp": at(7), "actor": "ada"},
    }
    reference.create(written)
    read = ours.run("get", "suggestions", "sugg_google")["sugg_google"]
    assert read["created_at"] == "2025-12-29T09:00:00.000007Z" and read["approval_metadata"]["timestamp"] == "2025-12-29T07:00:00Z"
    assert read["embedding"] == written["embedding"] and read["whole"] == 1.0 and read["nothing"] is None
    assert read["raw"] == "AP8=" and read["place"] == {"latitude": 1.5, "longitude": -2.5}
    assert read["other"].endswith("/documents/team_suggestions/sugg_ours")
    ours.run("update", "suggestions", "sugg_google", given={"suggestion_content.eval_test": DRAFT, "updated_at": "2025-12-29T13:00:00Z"})
    after = reference.get().to_dict()
    draft = after["suggestion_content"].pop("eval_test")
    assert after.pop("updated_at") == at(13) and draft["generated_at"] == at(12)
    written["suggestion_content"].pop("eval_test")
    assert after == written and type(after["whole"]) is float
    assert sorted(found.id for found in client.collection("team_suggestions").stream()) == ["sugg_google", "sugg_ours"]


def raises(error, call):
    try:
        call()
    except error:
        return
    raise AssertionError(f"no {error}")


def check_the_emulator(client, suggestions):
    """What our tests rely on holds for Google's client, too: commits are checked, and transactions serialised."""
    reference = suggestions.document("sugg_ours")
    stale = client.write_option(last_update_time=reference.get().update_time)
    reference.update({"status": "pending"})
    raises(FailedPrecondition, lambda: reference.update({"status": "stale"}, option=stale))
    raises(AlreadyExists, lambda: reference.create({}))
    raises(NotFound, lambda: suggestions.document("none").update({"a": 1}))
    attempts = []

    @firestore.transactional
    def approve(transaction):
        status = reference.get(transaction=transaction).get("status")
        attempts.append(status)
        if len(attempts) == 1:
            reference.update({"status": "rejected"})
        elif status == "pending":
            transaction.update(reference, {"status": "approved"})
            return
        transaction.update(reference, {"seen": status})

    approve(client.transaction())
    assert attempts == ["pending", "rejected"], attempts
    assert reference.get().get("status") == "rejected" and reference.get().get("seen") == "rejected"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", required=True)
    parser.add_argument("--pawl", required=True)
    parser.add_argument("--server", required=True)
    arguments = parser.parse_args()
    with subprocess.Popen(["node", arguments.server], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        os.environ["FIRESTORE_EMULATOR_HOST"] = server.stdout.readline().strip()
        os.environ["GOOGLE_CLOUD_PROJECT"] = "acme"
        client = firestore.Client(project="acme", credentials=AnonymousCredentials())
        suggestions, ours = client.collection(f"{PREFIX}suggestions"), Ours(arguments.documents)
        check_what_we_write(ours, suggestions)
        check_what_google_writes(ours, client, suggestions)
        check_the_emulator(client, suggestions)
        firestore_suggestions.check(arguments.pawl, client)
        client.close()
        server.stdin.close()
    print("our client of Firestore and Google's read what the other one writes, and so does pawl")


if __name__ == "__main__":
    main()
