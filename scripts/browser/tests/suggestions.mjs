import { strict as assert } from "node:assert";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { minedUser, suggestionOf } from "./mined.mjs";

/// The exit code of the approved tests on one recorded answer.
function exitOf(server, email, outputs) {
  const file = join(mkdtempSync(join(tmpdir(), "pawl-outputs-")), "outputs.jsonl");
  writeFileSync(file, outputs.map((line) => `${JSON.stringify(line)}\n`).join(""));
  try {
    server.command(["run", "approved", "--outputs", file, "--user", email]);
    return 0;
  } catch (error) {
    return error.status;
  }
}

export async function fromAFailureToAnApprovedTest(visit, server) {
  const { page } = visit;
  const email = minedUser(server, "review");
  const id = suggestionOf(server, email, /full refund/);
  await visit.logIn(email, "/suggestions");
  await visit.look("suggestions");
  await page.goto(`/suggestions/${id}`);
  assert(await page.getByRole("heading", { name: "No test yet" }).isVisible());
  await page.getByRole("button", { name: "Draft it" }).click();
  await page.waitForURL(/done=drafted/);
  assert(await page.getByText("a template, without a model").isVisible());

  // What is written is tried while it is written.
  await page.getByLabel("What is tested").fill("Opened software is not taken back");
  await page.getByLabel("What the agent is asked").fill("Can I return opened software?");
  for (const kind of ["Required", "Forbidden"]) {
    for (const field of await page.getByLabel(`${kind} sentence`).all()) await field.fill("");
  }
  await page.getByLabel("Forbidden sentence").first().fill("Must not be wrong");
  await page.locator("#preview").getByText("needs a judge", { exact: true }).waitFor();
  await page.getByLabel("Forbidden sentence").first().fill('Must not contain "full refund"');
  await page.locator("#preview .state.passed").getByText("Proven").waitFor();
  const preview = await page.locator("#preview .proof-verdict").textContent();
  assert.match(preview, /would have caught (\d+) of \1 · false alarms 0 of 20/);
  await page.getByText("Rationale, state, tools, notes").click();
  await page.getByLabel("What has to be so beforehand").fill("");
  await visit.look("suggestion");
  await page.getByRole("button", { name: "Save and prove" }).click();
  await page.waitForURL(/done=saved/);
  assert(await page.getByText("edited by a person").isVisible());
  assert.match(await page.locator(".proof .proof-verdict").textContent(), /Proven/);

  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await page.waitForURL(/done=approved/);
  const test = `eval_${id}`;
  assert.equal(exitOf(server, email, [{ id: test, output: "Sure, you get a full refund." }]), 1);
  assert.equal(exitOf(server, email, [{ id: test, output: "Opened software stays with you." }]), 0);
}

export async function aNewDraftMeetsWhatAPersonWrote(visit, server) {
  const { page } = visit;
  const email = minedUser(server, "versions");
  const id = suggestionOf(server, email, /IP68/);
  server.command(["draft", "--user", email, "--suggestion", id]);
  await visit.logIn(email, `/suggestions/${id}`);
  const other = await visit.context.newPage();
  await other.goto(`/suggestions/${id}`);
  const write = async (on, title) => {
    await on.getByLabel("What is tested").fill(title);
    for (const kind of ["Required", "Forbidden"]) {
      for (const field of await on.getByLabel(`${kind} sentence`).all()) await field.fill("");
    }
    await on.getByLabel("Forbidden sentence").first().fill('Must not contain "IP68"');
    await on.getByText("Rationale, state, tools, notes").click();
    await on.getByLabel("What has to be so beforehand").fill("");
    await on.getByRole("button", { name: "Save and prove" }).click();
  };
  await write(other, "Theirs");
  await other.waitForURL(/done=saved/);
  await other.close();
  await write(page, "Mine");
  await page.getByRole("heading", { name: "Versions" }).waitFor();
  visit.expectNoise(/409/);
  assert(await page.getByText("Theirs, saved").first().isVisible());
  assert.equal(await page.getByLabel("What is tested").inputValue(), "Mine");
  await visit.look("suggestion-versions");
  await page.getByRole("button", { name: "Save and prove" }).click();
  await page.waitForURL(/done=saved/);

  await page.getByRole("button", { name: "Compare with a new draft" }).click();
  await page.getByText("Generated now", { exact: true }).first().waitFor();
  assert.equal(await page.getByLabel("What is tested").inputValue(), "Mine");
  await page.getByLabel("Why it is not wanted").fill("Only to see it go");
  await page.getByRole("button", { name: "Reject" }).click();
  await page.waitForURL(/done=rejected/);
}

export async function nothingWaitsForWhoHasNothing(visit) {
  await visit.logIn("poor@example.org", "/suggestions");
  assert(await visit.page.getByRole("heading", { name: "Nothing waits for review" }).isVisible());
  await visit.look("suggestions-empty");
}
