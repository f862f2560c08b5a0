import { strict as assert } from "node:assert";

const drawn = (page) =>
  page.waitForFunction(() => [...document.querySelectorAll(".plot")].every((plot) => plot.querySelector("canvas")));

/// The table behind a chart, as it stands in the page.
const rowsOf = (page, id) =>
  page.locator(`#${id} tbody tr`).evaluateAll((rows) =>
    rows.map((row) => [...row.cells].map((cell) => ({ text: cell.textContent, href: cell.querySelector("a")?.getAttribute("href") }))),
  );

export async function sumsUpAMonth(visit) {
  const { page } = visit;
  await visit.logIn("rich@example.org", "/dashboard?days=30");
  await drawn(page);
  await visit.look("dashboard");
  assert.equal((await rowsOf(page, "scores")).length, 30);
  const figures = await page.locator(".figures dt").allTextContents();
  assert.deepEqual(figures.map((name) => name.split(",")[0]), ["Mean score", "Success", "Latency", "Redacted", "Stored", "Not stored"]);
  // Every number leads to the rows behind it.
  for (const figure of await page.locator(".figures dd a").all()) {
    assert.match(await figure.getAttribute("href"), /^\/(interactions\?from=\d{4}-\d\d-\d\d&until=|settings)/);
  }
  await page.locator("#flags summary").click();
  await visit.look("dashboard-table");
}

export async function rangesAreInTheAddress(visit) {
  const { page } = visit;
  await visit.logIn("rich@example.org");
  await page.getByRole("link", { name: "30 days" }).click();
  await page.waitForURL("/dashboard?days=30");
  assert.equal(await page.getByRole("link", { name: "30 days" }).getAttribute("aria-current"), "true");
  await page.getByRole("link", { name: "7 days" }).click();
  await page.getByRole("link", { name: "Hours" }).click();
  await page.waitForURL("/dashboard?days=7&step=hour");
  await drawn(page);
  assert.equal((await rowsOf(page, "latencies")).length, 7 * 24);
  const gaps = (await rowsOf(page, "latencies")).filter(([, p95]) => p95.text === "–");
  assert(gaps.length > 0, "hours in which nothing happened are gaps");
  await visit.look("dashboard-hours");
  await page.getByLabel("First day").fill("2020-01-01");
  await page.getByLabel("Last day").fill("2020-01-02");
  await page.getByRole("button", { name: "Show" }).click();
  await page.waitForURL("/dashboard?from=2020-01-01&until=2020-01-02");
  await visit.look("dashboard-nothing");
  await page.getByRole("link", { name: "Show the days up to then" }).click();
  await drawn(page);
  await page.goto("/dashboard?from=2020-01-02&until=2020-01-01");
  visit.expectNoise(/422/);
  assert.match(await page.getByRole("alert").textContent(), /behind the last one/);
  await page.goBack();
  assert.equal(await page.getByRole("alert").count(), 0);
}

export async function chartsLeadToTheRowsBehindThem(visit) {
  const { page } = visit;
  await visit.logIn("rich@example.org", "/dashboard?days=30");
  await drawn(page);
  const histogram = await rowsOf(page, "histogram");
  const plot = page.locator("#histogram .plot");
  const { width, height } = await plot.boundingBox();
  // The last bar, at its foot.
  await plot.click({ position: { x: width - 22, y: height - 45 } });
  await page.waitForURL(/\/interactions\?/);
  const { pathname, search } = new URL(page.url());
  assert.equal(pathname + search, histogram.at(-1)[0].href);
}

export async function chartsFollowTheTheme(visit) {
  const { page } = visit;
  await visit.logIn("rich@example.org");
  await drawn(page);
  const picture = () => page.locator("#volume canvas").evaluate((canvas) => canvas.toDataURL());
  const light = await picture();
  await page.getByRole("button", { name: "Theme: dark" }).click();
  const dark = await picture();
  assert.notEqual(dark, light);
  await page.getByRole("button", { name: "Theme: light" }).click();
  assert.equal(await picture(), light);
}

export async function whatArrivesIsToldAndAFlagIsAText(visit, server) {
  const { page } = visit;
  const email = `live-${Date.now()}@example.org`;
  const user_id = server.addUser(email);
  const send = (interaction_id, more) =>
    server.ingest({ user_id, interaction_id, prompt: "Hello?", response: "Yes.", score: 0.9, latency_ms: 800, ...more });
  await visit.logIn(email);
  assert.match(await page.locator(".live").textContent(), /^0 of 1.000 stored today/);
  await page.waitForSelector('.live[data-state="open"]');
  await send("first", { flags: ["<script>alert(1)</script>", "hallucination"] });
  await page.waitForFunction(() => document.querySelector("[data-stored]").textContent === "1");
  await page.waitForFunction(() => document.querySelector("[data-arriving]").textContent === "1 in the last minute");
  await page.reload();
  await drawn(page);
  assert(await page.getByRole("link", { name: "<script>alert(1)</script>" }).isVisible());
  await visit.look("dashboard-one");
}

export async function anEmptyDashboardSaysWhatFillsIt(visit) {
  const { page } = visit;
  await visit.logIn("poor@example.org");
  assert.match(await page.locator("#seed").textContent(), /^pawl seed --user [0-9a-f-]{36}$/);
  await visit.look("dashboard-empty");
}

export async function withoutAScriptTheNumbersStand(visit, server) {
  const context = await visit.context.browser().newContext({ baseURL: server.url, javaScriptEnabled: false });
  await context.addCookies(await visitorCookies(visit));
  const page = await context.newPage();
  await page.goto("/dashboard?days=30");
  assert(await page.locator(".plot").first().isHidden());
  await page.locator("#scores summary").click();
  assert(await page.locator("#scores tbody tr").first().isVisible());
  await context.close();
}

async function visitorCookies(visit) {
  await visit.logIn("rich@example.org");
  return visit.context.cookies();
}
