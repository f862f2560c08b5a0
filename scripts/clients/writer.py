"""The documented headless writer with the current `supabase` package: only data set and story generator are ours."""

import json
import os
import pathlib

from supabase import create_client

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
dataset = json.loads((ROOT / "examples/stories/inputs.json").read_text(encoding="utf-8"))
dataset["inputs"] = dataset["inputs"][:12]


def generate_story(seed_input):
    return {
        "title": seed_input["goal"][:40],
        "description": f"As a {seed_input['role']}, I want to {seed_input['goal']} so that I can {seed_input['benefit']}.",
        "acceptance_criteria": ["User can start", "System validates", "Result is stored"][: 2 + len(seed_input["goal"]) % 2],
    }


def run_early_evals(story):
    enough = len(story["acceptance_criteria"]) >= 3
    checks = [
        {"name": "has_title", "passed": True, "message": None},
        {"name": "min_acceptance_criteria", "passed": enough, "message": None if enough else "found 2, need 3"},
    ]
    failed = sum(not check["passed"] for check in checks)
    return {"checks": checks, "summary": {"total": 2, "passed": 2 - failed, "failed": failed}}


supabase = create_client(
    os.environ["SUPABASE_URL"],
    os.environ["SUPABASE_SERVICE_ROLE_KEY"]
)

# 1. Create a run
run = supabase.table("sb_eval_runs").insert({
    "run_name": "nightly-2024-12-22",
    "dataset_version": "v1.0",
    "model": "gpt-4",
    "prompt_version": "v2.1",
    "status": "running"
}).execute()

run_id = run.data[0]["id"]

# 2. Insert cases
passed = failed = total = 0
for seed_input in dataset["inputs"]:
    # Generate story...
    output_story = generate_story(seed_input)

    # Run evals...
    eval_results = run_early_evals(output_story)

    # Insert case
    supabase.table("sb_eval_cases").insert({
        "run_id": run_id,
        "input_data": seed_input,
        "output_story": output_story,
        "eval_results": eval_results,
        "passed": eval_results["summary"]["failed"] == 0
    }).execute()
    total += 1
    passed += eval_results["summary"]["failed"] == 0
    failed += eval_results["summary"]["failed"] > 0

# 3. Update run with final stats
supabase.table("sb_eval_runs").update({
    "status": "completed",
    "completed_at": "now()",
    "total_cases": total,
    "passed_cases": passed,
    "failed_cases": failed
}).eq("id", run_id).execute()

# What it wrote, read back as a dashboard would.
runs, cases = supabase.table("sb_eval_runs"), supabase.table("sb_eval_cases")
stored = runs.select("*").eq("id", run_id).single().execute().data
assert (stored["status"], stored["total_cases"], stored["passed_cases"]) == ("completed", total, passed), stored
assert stored["completed_at"] is not None and stored["completed_at"] >= stored["created_at"], stored
assert 0 < passed < total == 12

embedded = runs.select("run_name, sb_eval_cases(input_data, passed)").eq("id", run_id).execute().data[0]
assert len(embedded["sb_eval_cases"]) == total and "input_data" in embedded["sb_eval_cases"][0], embedded
upwards = cases.select("id, sb_eval_runs(run_name, status)").eq("run_id", run_id).limit(1).execute().data[0]
assert upwards["sb_eval_runs"] == {"run_name": "nightly-2024-12-22", "status": "completed"}, upwards

counted = cases.select("*", count="exact").eq("run_id", run_id).eq("passed", False).execute()
assert counted.count == failed == len(counted.data)
only_count = cases.select("id", count="exact", head=True).eq("run_id", run_id).execute()
assert only_count.count == total and not only_count.data

ordered = cases.select("input_data->>id, passed").eq("run_id", run_id).order("passed", desc=True).order("input_data->>id").execute().data
assert [row["passed"] for row in ordered] == sorted((row["passed"] for row in ordered), reverse=True)
assert ordered[0]["id"] == min(row["id"] for row in ordered if row["passed"])
page = cases.select("id", count="exact").eq("run_id", run_id).order("created_at").range(5, 8).execute()
assert len(page.data) == 4 and page.count == total
some = cases.select("id").eq("run_id", run_id).or_("passed.is.true,error.not.is.null").execute().data
assert len(some) == passed
within = cases.select("id").in_("id", [row["id"] for row in page.data]).execute().data
assert len(within) == 4
by_domain = cases.select("id").eq("run_id", run_id).contains("input_data", {"context": {"complexity": "low"}}).execute().data
assert len(by_domain) == sum(item["context"]["complexity"] == "low" for item in dataset["inputs"])
like = runs.select("id").ilike("run_name", "NIGHTLY%").execute().data
assert {"id": run_id} in like

upserted = runs.upsert({"id": run_id, "dataset_version": "v1.1", "status": "completed"}).execute().data[0]
assert (upserted["dataset_version"], upserted["run_name"]) == ("v1.1", "nightly-2024-12-22"), upserted
nothing = runs.select("*").eq("run_name", "no such run").maybe_single().execute()
assert nothing is None or nothing.data is None

for broken, code in [
    (lambda: runs.select("no_such_column").execute(), "42703"),
    (lambda: supabase.table("no_such_table").select("*").execute(), "PGRST205"),
    (lambda: runs.insert({"run_name": "no data set"}).execute(), "23502"),
    (lambda: runs.insert({"dataset_version": "v", "colour": "red"}).execute(), "PGRST204"),
    (lambda: runs.select("*").eq("id", "not-a-uuid").execute(), "22P02"),
    (lambda: runs.select("*").eq("run_name", "no such run").single().execute(), "PGRST116"),
    (lambda: cases.insert({"run_id": "00000000-0000-4000-8000-000000000000", "input_data": {}}).execute(), "23503"),
]:
    try:
        broken()
    except Exception as error:
        assert getattr(error, "code", None) == code, (code, error)
    else:
        raise AssertionError(f"nothing was refused, {code} was expected")

# 4. Deletes cascade
supabase.table("sb_eval_runs").delete().eq("id", run_id).execute()
assert cases.select("id", count="exact").eq("run_id", run_id).execute().count == 0
print(f"writer.py: {total} cases written, read and deleted")
