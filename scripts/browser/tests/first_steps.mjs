import { strict as assert } from "node:assert";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { PASSWORD } from "../server.mjs";

const EXAMPLE = resolve(import.meta.dirname, "../../../examples/supabase");

/// From no account to a full dashboard, as the example's manual says: sign up, find out one's id, put it into the script,
/// run it.
export async function fromSignUpToAFullDashboard(visit, server) {
  const { page } = visit;
  await page.goto("/login");
  await page.getByRole("link", { name: "Sign up" }).click();
  await page.getByLabel("E-mail address").fill(`seeder-${Date.now()}@example.org`);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign up" }).click();
  await page.waitForURL("/dashboard");

  await page.goto("/settings");
  await page.locator("#hand-in").getByRole("button", { name: "Copy" }).first().click();
  const user = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(user, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

  const folder = mkdtempSync(join(tmpdir(), "pawl-example-"));
  try {
    cpSync(EXAMPLE, folder, { recursive: true, filter: (path) => !/\/(node_modules|\.env)$/.test(path) });
    symlinkSync(join(EXAMPLE, "node_modules"), join(folder, "node_modules"));
    const script = join(folder, "scripts/seed.ts");
    writeFileSync(script, readFileSync(script, "utf8").replace("YOUR_USER_ID", user));
    writeFileSync(join(folder, ".env"), server.command(["keys", "--env", "--url", server.url]));
    execFileSync("npm", ["run", "seed"], { cwd: folder, env: server.environment, stdio: "ignore", timeout: 120_000 });
  } finally {
    rmSync(folder, { recursive: true });
  }

  await page.goto("/dashboard?days=30");
  const stored = page.locator(".figures > div").filter({ has: page.locator("dt", { hasText: /^Stored$/ }) });
  const count = Number((await stored.locator("a").textContent()).replaceAll(/\D/g, ""));
  // The history of 30 days began in the course of the day before the first that is shown.
  assert(count > 18_000 && count <= 20_000, `${count}`);
  await page.goto("/interactions");
  assert.equal(await page.locator("tbody tr").count(), 50);
}
