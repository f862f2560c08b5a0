import { strict as assert } from "node:assert";
import { text } from "node:stream/consumers";

const rows = (page) => page.locator("tbody[data-rows] tr");

/// Waits until a partial update has come in.
async function updated(page, change) {
  const swapped = page.evaluate(() => new Promise((done) => document.addEventListener("htmx:afterSettle", done, { once: true })).then(() => {}));
  await change();
  await swapped;
}

export async function theListIsFilteredInItsAddress(visit) {
  const { page } = visit;
  await visit.logIn("rich@example.org", "/interactions");
  assert.equal(await rows(page).count(), 50);
  await visit.look("interactions");

  await updated(page, () => page.getByLabel("hallucination").check({ force: true }));
  assert.equal(new URL(page.url()).search, "?flag=hallucination");
  for (const flags of await page.locator("tbody .flagged").allTextContents()) assert.match(flags, /hallucination/);
  await updated(page, () => page.getByLabel("Highest score").fill("0.3").then(() => page.keyboard.press("Tab")));
  const scores = (await page.locator("tbody .score").allTextContents()).map(Number);
  assert(scores.length > 0 && scores.every((score) => score <= 0.3), String(scores));
  await updated(page, () => page.getByRole("link", { name: "Score" }).click());
  assert.deepEqual([...scores].sort().length, scores.length);
  const sorted = (await page.locator("tbody .score").allTextContents()).map(Number);
  assert.deepEqual(sorted, [...sorted].sort((a, b) => a - b));
  assert.match(page.url(), /sort=lowest-score/);
  await visit.look("interactions-filtered");

  // A search keeps the order, which stands in what was swapped in.
  await updated(page, async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("refund");
  });
  assert(await page.getByRole("searchbox").evaluate((field) => field === document.activeElement), "the focus stays");
  assert.match(page.url(), /q=refund.*sort=lowest-score/);
  const shared = page.url();
  const shown = await rows(page).allTextContents();
  await page.goto(shared);
  assert.deepEqual(await rows(page).allTextContents(), shown, "the address says it all");
  assert.equal(await page.getByRole("searchbox").inputValue(), "refund");
  await page.goBack();
  await page.waitForLoadState("networkidle");
  assert.notEqual(page.url(), shared);

  await page.goto("/interactions");
  await updated(page, () => page.getByLabel("Least score").fill("2").then(() => page.keyboard.press("Tab")));
  assert.equal(await page.getByRole("alert").textContent(), "Enter a number from 0 to 1.");
  visit.expectNoise(/422/);
  await page.goto("/interactions?q=zzzzqqqq");
  assert(await page.getByText("No interaction is like that").isVisible());
}

export async function keysMoveAndOpen(visit) {
  const { page } = visit;
  await visit.logIn("rich@example.org", "/interactions");
  const links = page.locator("a[data-opens-row]");
  const focused = async (index) => assert(await links.nth(index).evaluate((link) => link === document.activeElement), `row ${index}`);
  await page.keyboard.press("j");
  await focused(0);
  await page.keyboard.press("j");
  await focused(1);
  await page.keyboard.press("k");
  await focused(0);
  const second = await links.nth(1).getAttribute("href");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/interactions\/[0-9a-f-]{36}$/);
  const first = page.url();
  await page.keyboard.press("]");
  await page.waitForURL(second);
  await page.keyboard.press("[");
  await page.waitForURL(first);
  await page.goBack();
  await page.waitForURL(second);
}

export async function pagesFollowEachOther(visit) {
  const { page } = visit;
  await visit.logIn("rich@example.org", "/interactions?flag=hallucination&sort=slowest");
  const seen = new Set();
  let pages = 0;
  for (;;) {
    for (const href of await page.locator("a[data-opens-row]").evaluateAll((links) => links.map((link) => link.pathname))) {
      assert(!seen.has(href), "no row comes twice");
      seen.add(href);
    }
    pages += 1;
    const next = page.getByRole("link", { name: "Next page" });
    if (pages === 3 || (await next.count()) === 0) break;
    const before = page.url();
    await next.click();
    await page.waitForURL((url) => url.href !== before);
  }
  assert.equal(seen.size, 150);
}

export async function theFilteredListIsDownloaded(visit) {
  const { page } = visit;
  await visit.logIn("rich@example.org", "/interactions?flag=hallucination&score_max=0.2");
  const download = async (name) => {
    const started = page.waitForEvent("download");
    await page.getByRole("link", { name, exact: true }).click();
    return text(await (await started).createReadStream());
  };
  const lines = (await download("JSONL")).trimEnd().split("\n").map((line) => JSON.parse(line));
  assert(lines.length > 0);
  for (const { flags, score } of lines) assert(flags.includes("hallucination") && score <= 0.2);
  const table = await download("CSV");
  assert(table.startsWith("id,interaction_id,created_at,score,"));
  for (const { id } of lines) assert(table.includes(id));
}

export async function oneInteractionIsShownWhole(visit, server) {
  const { page } = visit;
  const user_id = server.addUser(`whole-${Date.now()}@example.org`);
  const hostile = `<script>alert("x")</script><img src=x onerror=alert(1)>`;
  const lines = Array.from({ length: 40 }, (_, line) => `line ${line} ${hostile}`).join("\n");
  await server.ingest([
    { user_id, interaction_id: "older", prompt: "first", response: "one", score: 0.9, latency_ms: 10, flags: [], created_at: "2026-01-01T00:00:00Z" },
    {
      user_id,
      interaction_id: `case ${hostile}`,
      prompt: lines,
      response: "  It keeps its blanks,\n    and <b>its marks</b>.",
      score: 0.1234,
      latency_ms: 61240,
      flags: ["hallucination", hostile],
      pii_tokens_redacted: 2,
      tool_calls: [
        { name: "search_orders", arguments: { id: 7 }, result: "nothing", error: "timed out after 30 s" },
        { name: "refund", arguments: {}, result: { ok: true }, error: null },
      ],
      spans: [
        { span_id: "a", name: "agent", duration_ms: 61240 },
        { span_id: "b", parent_span_id: "a", name: "model call", duration_ms: 900 },
      ],
    },
  ]);
  const emails = JSON.parse(server.command(["user", "list", "--json"]).split("\n").find((line) => line.includes(user_id))).email;
  await visit.logIn(emails, "/interactions");
  await visit.look("interactions-hostile");
  await page.locator("a[data-opens-row]").first().click();
  await page.waitForURL(/\/interactions\/[0-9a-f-]{36}$/);
  await page.locator("details").first().click();
  await visit.look("interaction");
  assert.equal(await page.locator("#prompt").textContent(), lines, "the whole text is there");
  assert.equal(await page.locator("#response").textContent(), "  It keeps its blanks,\n    and <b>its marks</b>.");
  const height = () => page.locator("#prompt").evaluate((text) => text.clientHeight);
  const folded = await height();
  await page.getByText(/Show all of about \d+ lines/).click();
  assert((await height()) > 2 * folded);
  await page.locator("section", { has: page.locator("#prompt") }).getByRole("button", { name: "Copy" }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), lines);
}

export async function nothingYet(visit) {
  await visit.logIn("poor@example.org", "/interactions");
  assert(await visit.page.getByText("No interactions yet").isVisible());
  await visit.look("interactions-none");
}

export async function othersDoNotSeeIt(visit) {
  const { page } = visit;
  await visit.logIn("rich@example.org", "/interactions");
  const href = await page.locator("a[data-opens-row]").first().getAttribute("href");
  await page.getByRole("button", { name: "Log out" }).click();
  await page.waitForURL("/login");
  await visit.logIn("poor@example.org", "/interactions");
  const response = await page.goto(href);
  assert.equal(response.status(), 404);
  visit.expectNoise(/404/);
}
