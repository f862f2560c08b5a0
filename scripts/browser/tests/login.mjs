import { strict as assert } from "node:assert";

import { PASSWORD } from "../server.mjs";

export async function signUpLogOutAndLogIn(visit) {
  const { page } = visit;
  const email = `ann-${Date.now()}@example.org`;
  await page.goto("/");
  assert.equal(new URL(page.url()).pathname, "/login");
  await visit.look("login");
  await page.getByRole("link", { name: "Sign up" }).click();
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign up" }).click();
  await page.waitForURL("/dashboard");
  assert(await page.getByText(email).isVisible());
  await page.getByRole("button", { name: "Log out" }).click();
  await page.waitForURL("/login");
  await visit.logIn(email);
}

export async function whatIsWrongIsSaid(visit) {
  const { page } = visit;
  await page.goto("/login");
  await page.getByLabel("E-mail address").fill("rich@example.org");
  await page.getByLabel("Password").fill("wrong horse");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").textContent(), /do not belong together/);
  assert(await page.getByLabel("Password").evaluate((field) => field === document.activeElement));
  visit.expectNoise(/422/);
  await visit.look("login-refused");
  await page.goto("/nowhere");
  visit.expectNoise(/404/);
  await visit.look("error");
}

export async function withoutAScriptItIsTheSame(visit, server) {
  const context = await visit.context.browser().newContext({ baseURL: server.url, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("/login");
  await page.getByLabel("E-mail address").fill("rich@example.org");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.waitForURL("/dashboard");
  await page.getByRole("button", { name: "Theme: dark" }).click();
  await page.waitForURL("/dashboard");
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  await context.close();
}

export async function keysAndTheme(visit) {
  const { page } = visit;
  await visit.logIn("poor@example.org");
  await page.keyboard.press("?");
  assert(await page.getByRole("dialog", { name: "Keys" }).isVisible());
  await visit.look("keys");
  await page.keyboard.press("Escape");
  assert(await page.getByRole("dialog").isHidden());
  await page.getByRole("button", { name: "Theme: dark" }).click();
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const dark = await background();
  await page.reload();
  assert.equal(await background(), dark, "the theme stays");
  await page.getByRole("button", { name: "Theme: light" }).click();
  assert.notEqual(await background(), dark);
  await page.goto("/");
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await page.waitForURL("/dashboard");
}
