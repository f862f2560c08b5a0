import { strict as assert } from "node:assert";

export async function everybodyReadsIt(visit) {
  const { page } = visit;
  await page.goto("/docs");
  await visit.look("manual");
  const contents = page.getByRole("navigation", { name: "Manual" });
  await contents.getByRole("link", { name: "Concepts" }).click();
  await page.waitForURL("/docs/concepts");
  assert.equal(await contents.getByRole("link", { name: "Concepts" }).getAttribute("aria-current"), "page");
  const picture = page.getByRole("img", { name: /^The loop/ });
  assert(await picture.evaluate((image) => image.decode().then(() => image.naturalWidth > 500)));
  await visit.look("manual-concepts");
  await page.getByRole("navigation", { name: "On this page" }).getByRole("link", { name: "Four states" }).click();
  await page.waitForURL("/docs/concepts#four-states");
  assert(await page.getByRole("heading", { name: "Four states" }).isVisible());
}

// Wide tables, long lines of code, deep anchors, pictures.
export async function everyKindOfPageFits(visit) {
  const { page } = visit;
  for (const name of ["readme", "checks", "cli", "http", "configuration", "errors/over_cap", "adr/0003-json-normal-form"]) {
    await page.goto(`/docs/${name}`);
    await visit.look(`manual-${name.replaceAll("/", "-")}`);
  }
}

export async function onANarrowScreenTheContentsAreBelow(visit) {
  const { page } = visit;
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/docs/suites");
  await page.getByRole("link", { name: "Contents", exact: true }).click();
  const contents = page.getByRole("navigation", { name: "Manual" });
  await contents.getByRole("link", { name: "Statistics" }).click();
  await page.waitForURL("/docs/statistics");
  await page.goto("/docs/nowhere");
  visit.expectNoise(/404/);
  assert(await page.getByRole("heading", { name: "There is nothing here" }).isVisible());
}

export async function pagesLeadToIt(visit) {
  const { page } = visit;
  await visit.logIn("poor@example.org");
  await page.getByRole("link", { name: "Manual" }).click();
  await page.waitForURL("/docs");
}
