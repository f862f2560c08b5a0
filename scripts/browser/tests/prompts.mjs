import { strict as assert } from "node:assert";

import { file } from "../evolving.mjs";

export async function fromAFirstPromptToABetterOneThatIsLive(visit, server) {
  const { page } = visit;
  const email = `prompts-${Date.now()}@example.org`;
  server.addUser(email);
  await visit.logIn(email, "/prompts");
  assert(await page.getByRole("heading", { name: "No prompt yet" }).isVisible());
  await visit.look("prompts-empty");
  server.command(["prompt", "add", "support", file("support.txt", "Answer.\n"), "--user", email]);

  // What it may take is seen before it begins; what is wrong is said beside the form.
  await page.goto("/prompts/support");
  await page.getByLabel("Suite", { exact: true }).fill("suite.yaml");
  await page.getByLabel("Model that proposes texts").fill("ollama:scripted");
  await page.getByLabel("Calls of the target, at most").fill("3");
  await page.getByRole("button", { name: "Show what it may take" }).click();
  await page.getByRole("alert").getByText("the limits buy no proposal").waitFor();
  visit.expectNoise(/422/);
  await page.getByLabel("Calls of the target, at most").fill("400");
  await page.getByRole("button", { name: "Show what it may take" }).click();
  await page.getByRole("heading", { name: "What it may take, at most" }).waitFor();
  await visit.look("prompt-quote");
  await page.getByRole("button", { name: "Begin" }).click();
  await page.waitForURL(/\/optimizations\/aor_/);
  const address = page.url();

  // It is followed while it goes on, and nothing moves.
  const rows = page.locator("#candidates tbody tr");
  const top = () => page.locator("#candidates").evaluate((part) => part.getBoundingClientRect().top + scrollY);
  await page.locator("#tree a").first().waitFor();
  const before = await top();
  await rows.nth(1).waitFor();
  if (await page.locator("[data-follows]").count()) {
    assert.equal(await top(), before, "what is below stays where it is");
    await visit.look("optimization-live");
  }
  await page.locator("#facts .state.passed").waitFor({ timeout: 60_000 });
  assert.equal(page.url(), address);
  assert(await page.getByText("Best", { exact: true }).isVisible());
  assert.equal(await page.locator("#candidate ins").first().textContent(), " Say sorry.");
  assert((await page.getByRole("img", { name: /^case-\d+: / }).count()) > 0);
  assert.equal(await page.locator("#tree .candidates .candidates .candidates li").count(), 1, "a child of a child");
  assert.match(await page.locator("#facts").textContent(), /Calls of the target\s*\d+ of 400/);
  await page.locator("#score summary").click();
  assert.equal(await page.locator("#score tbody tr").last().locator("td").first().textContent(), "1.000");
  const behind = page.locator("#candidate details").first();
  await behind.locator("summary").click();
  assert(await behind.getByText("sorry").first().isVisible(), "the feedback that led to it");
  await visit.look("optimization");
  await rows.first().getByRole("link").click();
  await page.waitForURL(/candidate=apc_/);
  await page.getByText("What it did, the worst first").waitFor();

  // Promoted by a worker: the verdict appears by itself.
  await page.goto(address);
  await page.getByRole("link", { name: "Promote it" }).click();
  await page.waitForURL(/\/prompts\/support\?candidate=apc_/);
  await page.locator("#promote-reason").fill("the suite passes");
  await page.getByRole("button", { name: "Compare and promote" }).click();
  await page.waitForURL(/done=promoting/);
  await page.getByRole("heading", { name: "Live, version 2" }).waitFor({ timeout: 60_000 });
  assert(await page.getByText(`by ${email}`).first().isVisible());
  assert(await page.getByText(/0\.000 → 1\.000 on \d+ held-out examples/).isVisible());
  await visit.look("prompt");
  await page.goto("/prompts");
  await visit.look("prompts");

  await page.goto("/prompts/support");
  await page.locator("#back-reason").fill("only to see");
  await page.getByRole("button", { name: "Make it live again" }).click();
  await page.waitForURL(/done=back/);
  assert(await page.getByRole("heading", { name: "Live, version 1" }).isVisible());
}

export async function oneThatIsStoppedStaysStopped(visit, server) {
  const { page } = visit;
  const email = `stopped-${Date.now()}@example.org`;
  server.addUser(email);
  server.command(["prompt", "add", "support", file("support.txt", "Answer.\n"), "--user", email]);
  await visit.logIn(email, "/prompts/support");
  await page.getByLabel("Target", { exact: true }).selectOption("slow");
  await page.getByLabel("Suite", { exact: true }).fill("suite.yaml");
  await page.getByLabel("Model that proposes texts").fill("ollama:scripted");
  await page.getByRole("button", { name: "Show what it may take" }).click();
  await page.getByRole("button", { name: "Begin" }).click();
  await page.waitForURL(/\/optimizations\/aor_/);
  await page.getByRole("button", { name: "Stop it" }).click();
  await page.locator("#facts").getByText("stopped", { exact: true }).waitFor({ timeout: 30_000 });
  assert(await page.getByText("it was stopped").isVisible());

  // Until somebody has it go on; whoever stops it may take a moment.
  const goOn = async () => {
    await page.getByRole("button", { name: "Go on" }).click();
    await page.waitForLoadState();
    return page.getByRole("button", { name: "Stop it" }).isVisible();
  };
  while (!(await goOn())) {
    visit.expectNoise(/422/);
    await page.waitForTimeout(500);
    await page.goBack();
  }
  await page.getByRole("button", { name: "Stop it" }).click();
  await page.locator("#facts").getByText("stopped", { exact: true }).waitFor({ timeout: 30_000 });
}
