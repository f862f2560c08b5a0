import { strict as assert } from "node:assert";

import { minedUser, suggestionOf } from "./mined.mjs";

export async function fromASuggestionToAnInteractionAndBack(visit, server) {
  const { page } = visit;
  const email = minedUser(server, "lineage");
  const id = suggestionOf(server, email, /./);
  await visit.logIn(email, `/suggestions/${id}`);
  const title = await page.getByRole("heading", { level: 1 }).locator("span").last().textContent();
  await page.getByRole("link", { name: "Lineage" }).click();
  await page.waitForURL(`/lineage/${id}`);
  assert.equal(await page.locator(".named").textContent(), title);
  assert.match(await page.locator(".digest").first().textContent(), /^[0-9a-f]{64}$/);
  await visit.look("lineage");

  // Of many patterns three are shown; the rest is folded, with what led to each.
  const before = page.getByRole("region", { name: "What led to it" });
  const shown = before.locator("li").filter({ visible: true });
  assert.equal(await shown.filter({ hasText: /^pattern/ }).count(), 3);
  const more = before.locator("summary");
  const [folded] = (await more.textContent()).match(/^\d+/);
  await more.click();
  assert.equal(await shown.filter({ hasText: /^pattern/ }).count(), 3 + Number(folded));
  await visit.look("lineage-unfolded");

  await shown.filter({ hasText: /^interaction/ }).first().getByRole("link").click();
  await page.waitForURL(/\/lineage\/[0-9a-f-]{36}$/);
  const behind = page.getByRole("region", { name: "What it led to" });
  assert.match(await behind.locator("li").nth(1).textContent(), new RegExp(`^suggestion ${id}`));
  await page.getByRole("link", { name: "interaction", exact: true }).first().click();
  await page.waitForURL(/\/interactions\/[0-9a-f-]{36}$/);
}
