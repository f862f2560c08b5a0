"""What `pawl` reads and writes where suggestions are in Firestore, held against Google's own client: documents that another
program wrote are drafted, reviewed, exported and run, and what `pawl` writes has the types that others read."""

import datetime
import json
import os
import pathlib
import subprocess
import tempfile

PREFIX = "evalforge_"
TIME = datetime.datetime
UTC = datetime.timezone.utc
TYPES = {"eval", "guardrail", "runbook"}
SEVERITIES = {"low", "medium", "high", "critical"}


def at(hour):
    return TIME(2025, 12, 29, hour, tzinfo=UTC)


def theirs():
    """A suggestion as another program writes it, and no field more."""
    return {
        "suggestion_id": "sugg_abc123",
        "type": "eval",
        "status": "pending",
        "severity": "high",
        "source_traces": [
            {"trace_id": "dd_1", "pattern_id": "pattern_dd_1", "added_at": at(10), "similarity_score": None},
            {"trace_id": "dd_2", "pattern_id": "pattern_dd_2", "added_at": at(11), "similarity_score": 0.91},
        ],
        "pattern": {
            "failure_type": "stale_data",
            "trigger_condition": "Asked for a laptop under $1000",
            "title": "Stale recommendation",
            "summary": "A discontinued product was recommended.",
        },
        "embedding": [0.001 * number for number in range(768)],
        "similarity_group": "group_12ab34cd",
        "suggestion_content": {"eval_test": None, "guardrail": None, "runbook_snippet": None},
        "approval_metadata": None,
        "version_history": [
            {"previous_status": None, "new_status": "pending", "actor": "deduplication", "timestamp": at(10), "notes": None}
        ],
        "created_at": at(10),
        "updated_at": at(11),
    }


def their_pattern(trace, confidence):
    return {
        "pattern_id": f"pattern_{trace}",
        "source_trace_id": trace,
        "title": "Stale recommendation",
        "failure_type": "stale_data",
        "trigger_condition": "Asked for a laptop",
        "summary": "A discontinued product was recommended.",
        "root_cause_hypothesis": "The stock was not looked at.",
        "evidence": {"signals": ["low score"], "excerpt": None},
        "recommended_actions": ["Look at the stock."],
        "reproduction_context": {
            "input_pattern": f"Recommend a laptop under $1000, as in {trace}.",
            "required_state": None,
            "tools_involved": ["inventory_lookup"],
        },
        "severity": "high",
        "confidence": confidence,
        "confidence_rationale": "seen",
        "extracted_at": at(9),
    }


EDIT = {
    "title": "Prevent stale product recommendations",
    "rationale": "",
    "input": {"prompt": "Recommend a laptop under $1000.", "tools_involved": ["inventory_lookup"]},
    "assertions": {"required": [], "forbidden": ["Must not contain \"SKU-13\""], "golden_output": None},
}


class Pawl:
    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PAWL_")},
            "PAWL_DATA_DIR": str(self.folder / "data"),
            "PAWL_SUGGESTIONS": "firestore",
            "FIRESTORE_COLLECTION_PREFIX": PREFIX,
        }

    def __call__(self, *words, exits=0, **variables):
        said = subprocess.run([self.program, *words], env={**self.environment, **variables}, capture_output=True, text=True)
        assert said.returncode == exits, f"{words} ended with {said.returncode}\n{said.stdout}\n{said.stderr}"
        return said.stdout

    def file(self, name, document):
        path = self.folder / name
        path.write_text(json.dumps(document))
        return str(path)


def check_form(suggestion):
    """The fields that everybody relies on, with their types."""
    assert suggestion["type"] in TYPES and suggestion["status"] == "pending" and suggestion["severity"] in SEVERITIES
    assert suggestion["source_traces"] and suggestion["version_history"]
    for trace in suggestion["source_traces"]:
        assert set(trace) == {"trace_id", "pattern_id", "added_at", "similarity_score"} and isinstance(trace["added_at"], TIME)
        assert trace["similarity_score"] is None or isinstance(trace["similarity_score"], float)
    assert set(suggestion["pattern"]) == {"failure_type", "trigger_condition", "title", "summary"}
    assert suggestion["embedding"] and all(isinstance(number, (int, float)) for number in suggestion["embedding"])
    assert isinstance(suggestion["similarity_group"], str) and isinstance(suggestion["suggestion_content"], dict)
    for entry in suggestion["version_history"]:
        assert {"previous_status", "new_status", "actor", "timestamp", "notes"} <= set(entry)
        assert isinstance(entry["timestamp"], TIME)
    assert isinstance(suggestion["created_at"], TIME) and isinstance(suggestion["updated_at"], TIME)


def check_draft(draft):
    assert isinstance(draft["generated_at"], TIME) and isinstance(draft["updated_at"], TIME)
    assert draft["eval_test_id"] == f"eval_{draft['source']['suggestion_id']}"
    assert draft["status"] in {"draft", "needs_human_input"} and draft["edit_source"] in {"generated", "human"}
    assert type(draft["generator_meta"]["temperature"]) in (int, float)


def check_drafting(pawl, collection):
    suggestions = collection("suggestions")
    before = theirs()
    suggestions.document("sugg_abc123").create(before)
    for trace, confidence in (("dd_1", 0.5), ("dd_2", 0.9)):
        collection("failure_patterns").document(trace).create(their_pattern(trace, confidence))
    report = json.loads(pawl("draft", "--json"))
    after = suggestions.document("sugg_abc123").get().to_dict()
    content = after.pop("suggestion_content")
    assert content.pop("guardrail") is None and content.pop("runbook_snippet") is None
    assert set(content) == {"eval_test", "eval_test_proof"}
    draft = content["eval_test"]
    check_draft(draft)
    assert draft["source"]["canonical_trace_id"] == "dd_2" and draft["source"]["trace_ids"] == ["dd_2", "dd_1"]
    assert draft["input"]["prompt"] == "Recommend a laptop under $1000, as in dd_2."
    assert isinstance(content["eval_test_proof"]["proven_at"], TIME)
    assert after.pop("updated_at") == draft["updated_at"]
    before.pop("updated_at"), before.pop("suggestion_content")
    assert after == before, "generation wrote something else"
    run = collection("eval_test_runs").document(report["run_id"]).get().to_dict()
    assert run["run_id"] == report["run_id"] and run["triggered_by"] == "manual"
    assert isinstance(run["started_at"], TIME) and isinstance(run["finished_at"], TIME)
    counts = [run[f"{what}_count"] for what in ("picked_up", "generated", "skipped", "error")]
    assert counts == [1, 1, 0, 0] and all(type(count) is int for count in counts) and run["batch_size"] == 20
    assert run["suggestion_outcomes"][0]["suggestion_id"] == "sugg_abc123"


def check_errors(pawl, collection):
    """A model that cannot be reached leaves a row, and the draft as it was."""
    before = collection("suggestions").document("sugg_abc123").get().to_dict()
    variables = {"PAWL_MINING_MODEL": "openai:gpt-4o-mini", "OPENAI_API_KEY": "x", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}
    report = json.loads(pawl("draft", "--suggestion", "sugg_abc123", "--json", exits=3, **variables))
    error = collection("eval_test_errors").document(f"{report['run_id']}:sugg_abc123").get().to_dict()
    assert error["error_type"] == "vertex_error" and error["error_message"] and isinstance(error["recorded_at"], TIME)
    assert (error["run_id"], error["suggestion_id"]) == (report["run_id"], "sugg_abc123")
    assert collection("suggestions").document("sugg_abc123").get().to_dict() == before


def check_review(pawl, collection):
    pawl("review", "edit", "sugg_abc123", "--file", pawl.file("edit.json", EDIT), "--by", "Ada")
    edited = collection("suggestions").document("sugg_abc123").get().to_dict()
    check_form(edited)
    draft = edited["suggestion_content"]["eval_test"]
    check_draft(draft)
    assert draft["edit_source"] == "human" and draft["assertions"] == EDIT["assertions"] and draft["input"] == EDIT["input"]
    replaced = edited["version_history"][-1]["previous_eval_test"]
    check_draft(replaced)
    assert replaced["edit_source"] == "generated"
    assert edited["approval_metadata"] is None
    pawl("review", "approve", "sugg_abc123", "--by", "Ada", "--notes", "seen in production")
    approved = collection("suggestions").document("sugg_abc123").get().to_dict()
    metadata = approved["approval_metadata"]
    assert approved["status"] == "approved" and metadata["actor"] == "Ada" and metadata["notes"] == "seen in production"
    assert isinstance(metadata["timestamp"], TIME) and approved["version_history"][-1]["timestamp"] == metadata["timestamp"]
    assert approved["suggestion_content"] == edited["suggestion_content"]


def check_export(pawl, collection):
    """What another program approved is exported and run, too."""
    sample = collection("suggestions").document("sugg_abc123").get().to_dict()
    draft = sample["suggestion_content"]["eval_test"]
    other = {**theirs(), "suggestion_id": "sugg_def456", "status": "approved"}
    other["suggestion_content"]["eval_test"] = {
        **draft,
        "eval_test_id": "eval_sugg_def456",
        "edit_source": "generated",
        "generated_at": at(12),
        "updated_at": at(13),
    }
    other["approval_metadata"] = {"action": "approved", "actor": "their tool", "timestamp": at(14), "notes": None}
    collection("suggestions").document("sugg_def456").create(other)
    exported = [json.loads(line) for line in pawl("review", "export", "--format", "jsonl").splitlines()]
    assert sorted(test["eval_test_id"] for test in exported) == ["eval_sugg_abc123", "eval_sugg_def456"]
    theirs_again = next(test for test in exported if test["eval_test_id"] == "eval_sugg_def456")
    assert (theirs_again["generated_at"], theirs_again["updated_at"]) == ("2025-12-29T12:00:00Z", "2025-12-29T13:00:00Z")
    for output, code in (("Take SKU-13.", 1), ("Take SKU-12.", 0)):
        path = pawl.folder / "outputs.jsonl"
        path.write_text("".join(json.dumps({"id": test["eval_test_id"], "output": output}) + "\n" for test in exported))
        pawl("run", "approved", "--outputs", str(path), exits=code)


def check_mining(pawl, collection):
    there = {found.id: found.to_dict() for found in collection("suggestions").stream()}
    pawl("seed", "--rows", "400", "--random-seed", "7")
    report = json.loads(pawl("mine", "--since", "all", "--json"))
    mined = {found.id: found.to_dict() for found in collection("suggestions").stream()}
    new = [suggestion for name, suggestion in mined.items() if name not in there]
    assert len(new) == report["suggestion_count"] > 0, report
    for suggestion in new:
        check_form(suggestion)
    for name, before in there.items():
        # What is alike joins; whatever comes of that, what others wrote stays.
        kept = {field: value for field, value in mined[name].items() if field not in ("source_traces", "severity", "updated_at", "mining_vector")}
        assert kept == {field: value for field, value in before.items() if field in kept}
    again = json.loads(pawl("mine", "--since", "all", "--json"))
    assert again["picked_up_count"] == 0
    assert {found.id: found.to_dict() for found in collection("suggestions").stream()} == mined


def check(program, client):
    def collection(name):
        return client.collection(f"{PREFIX}{name}")

    with tempfile.TemporaryDirectory() as folder:
        pawl = Pawl(program, folder)
        pawl("user", "add", "ada@example.org")
        for part in (check_drafting, check_errors, check_review, check_export, check_mining):
            part(pawl, collection)
