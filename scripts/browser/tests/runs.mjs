import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { once } from "node:events";

/// Runs the stories for a new user of their own: flawless, flawed, flawed once more under a name that wants to run.
function storiesRun(server) {
  const email = `runs-${Date.now()}@example.org`;
  server.addUser(email);
  const run = (name, agent) =>
    server.command([
      ...["run", "examples/stories/inputs.json", "--checks", "user-story", "--persistent", "--user", email],
      ...["--target", `exec:${server.pawl} ${agent}`, "--name", name, "--min-pass-rate", "0", "--format", "json"],
    ]);
  run("flawless", "story-agent");
  run("flawed", "story-agent --flawed");
  run("<script>alert(1)</script>", "story-agent --flawed");
  return email;
}

export async function fromTheListToACaseAndBack(visit, server) {
  const { page } = visit;
  await visit.logIn(storiesRun(server), "/runs");
  assert.equal(await page.locator(".runs tbody tr").count(), 3);
  await visit.look("runs");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/);
  const run = new URL(page.url()).pathname;
  assert.equal(await page.locator("h1").textContent(), "Runs / flawed");
  await visit.look("run");
  assert.equal(await page.locator(".matrix tbody tr").count(), 50);
  await page.getByRole("link", { name: /^Failed/ }).click();
  await page.waitForURL(`${run}?show=failed`);
  const failed = await page.locator(".matrix tbody tr").count();
  assert(failed > 0 && failed < 50);
  assert.equal(await page.locator(".matrix tbody .case .state.failed").count(), failed);
  // A case opens beside the others, and the focus stays where it is.
  await page.locator("[data-opens-row]").first().focus();
  await page.keyboard.press("Enter");
  await page.locator(".drawer").waitFor();
  assert.match(page.url(), /\?show=failed&case=[0-9a-f]{32}$/);
  assert(await page.locator(".drawer .story h3").isVisible(), "the story is told as one");
  assert(await page.locator(".drawer .verdicts .state.failed").count() > 0);
  await visit.look("run-case");
  const inTheAddress = page.url();
  await page.keyboard.press("Escape");
  await page.waitForURL(`${run}?show=failed`);
  assert.equal(await page.locator(".drawer").count(), 0);
  assert(await page.evaluate(() => document.activeElement.hasAttribute("data-opens-row")), "the focus is back");
  await page.goBack();
  await page.locator(".drawer").waitFor();
  assert.equal(page.url(), inTheAddress);
  await page.goto(inTheAddress);
  assert(await page.locator(".drawer").isVisible(), "the address has it all");
}

export async function twoRunsAreCompared(visit, server) {
  const { page } = visit;
  await visit.logIn(storiesRun(server), "/runs");
  await page.getByRole("link", { name: "flawed", exact: true }).click();
  await page.getByRole("link", { name: "Flipped" }).click();
  await page.waitForURL(/show=flipped$/);
  const flipped = await page.locator(".matrix tbody tr").count();
  assert(flipped > 0);
  await page.getByRole("button", { name: "Compare" }).click();
  await page.waitForURL(/\/compare\//);
  assert.match(await page.locator(".verdict").textContent(), /B passes less often/);
  assert.equal(await page.locator('.flips[aria-label="Lost"] details').count(), flipped);
  assert(await page.locator(".flips ins, .flips del").count() > 0);
  await visit.look("comparison");
  await page.getByRole("link", { name: "Swap A and B" }).click();
  assert.match(await page.locator(".verdict").textContent(), /B passes more often/);
}

export async function aNameThatWantsToRunStaysAText(visit, server) {
  const { page } = visit;
  await visit.logIn(storiesRun(server), "/runs");
  await page.getByRole("link", { name: "<script>alert(1)</script>" }).click();
  assert.equal(await page.locator("h1").textContent(), "Runs / <script>alert(1)</script>");
  await page.getByRole("link", { name: "Flipped" }).click();
  await page.getByText("No case flipped since the run before.").waitFor();
  await visit.look("run-hostile");
}

export async function noRunsSayHowToMakeOne(visit) {
  const { page } = visit;
  await visit.logIn("poor@example.org", "/runs");
  assert.match(await page.locator("#run").textContent(), /^pawl run /);
  await visit.look("runs-empty");
  await page.goto("/runs/00000000-0000-0000-0000-000000000000");
  visit.expectNoise(/404/);
}

export async function aRunTellsHowFarItIs(visit, server) {
  const { page } = visit;
  const email = `running-${Date.now()}@example.org`;
  server.addUser(email);
  const run = spawn(
    server.pawl,
    ["run", "examples/stories/inputs.json", "--checks", "user-story", "--user", email, "--target", "exec:sh -c 'sleep 0.5'", "--concurrency", "1"],
    { env: server.environment, stdio: "ignore" },
  );
  const ended = once(run, "exit");
  await visit.logIn(email, "/runs");
  while ((await page.locator(".runs tbody tr").count()) === 0) await page.reload();
  await page.locator("[data-opens-row]").click();
  await page.getByText(/[1-9]\d* (failed|error) so far/).waitFor();
  const first = await page.locator("#progress").textContent();
  await page.waitForFunction((first) => document.querySelector("#progress").textContent !== first, first);
  await visit.look("run-running");
  run.kill("SIGINT");
  await ended;
  // It loads anew by itself once the run has ended.
  await page.getByRole("alert").filter({ hasText: "go on by --resume" }).waitFor();
  assert.equal(await page.locator("#progress").count(), 0);
}
