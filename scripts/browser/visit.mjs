// A visit by a browser: a page, what went wrong on it, and looks at it.

import { strict as assert } from "node:assert";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { PASSWORD } from "./server.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const LOOKS = [
  { look: "light", width: 1440, height: 900, colorScheme: "light" },
  { look: "dark", width: 1440, height: 900, colorScheme: "dark" },
  { look: "narrow", width: 390, height: 844, colorScheme: "light" },
];

export class Visit {
  static async begin({ browser, server, screenshots }) {
    const visit = new Visit();
    visit.server = server;
    visit.screenshots = screenshots;
    visit.context = await browser.newContext({ baseURL: server.url, viewport: { width: 1440, height: 900 } });
    await visit.context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.url });
    await visit.context.addInitScript(() => {
      addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
    });
    visit.page = await visit.context.newPage();
    visit.noise = [];
    visit.page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) visit.noise.push(message.text());
    });
    visit.page.on("pageerror", (error) => visit.noise.push(error.stack));
    return visit;
  }

  /// Errors that a test expects, such as the status of a form that was refused.
  expectNoise(pattern) {
    assert(this.noise.some((line) => pattern.test(line)), `${pattern} among ${this.noise}`);
    this.noise = this.noise.filter((line) => !pattern.test(line));
  }

  assertQuiet() {
    assert.deepEqual(this.noise, []);
  }

  /// Logs in, or takes up an earlier log-in where there is one: there may be so many in a while and no more.
  async logIn(email, path = "/dashboard") {
    await this.context.addCookies(this.server.cookies.get(email) ?? []);
    await this.page.goto(`/login?next=${encodeURIComponent(path)}`);
    if (!this.page.url().includes("/login?")) return;
    await this.page.getByLabel("E-mail address").fill(email);
    await this.page.getByLabel("Password").fill(PASSWORD);
    await this.page.getByRole("button", { name: "Log in" }).click();
    await this.page.waitForURL(path);
    this.server.cookies.set(email, await this.context.cookies());
  }

  /// Looks at the page as it is in each look: accessible, nothing cut off; kept as a picture where that is asked for.
  async look(name) {
    for (const { look, width, height, colorScheme } of LOOKS) {
      await this.page.setViewportSize({ width, height });
      await this.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      if (this.screenshots) {
        mkdirSync(this.screenshots, { recursive: true });
        await this.page.screenshot({ path: join(this.screenshots, `${name}-${look}.png`) });
      }
      await this.assertAccessible(`${name}, ${look}`);
      const [wanted, there] = await this.page.evaluate(() => [document.scrollingElement.scrollWidth, innerWidth]);
      assert(wanted <= there, `${name}, ${look}: ${wanted} px wide on ${there} px`);
    }
    await this.page.setViewportSize({ width: 1440, height: 900 });
    await this.page.emulateMedia({ colorScheme: "light" });
  }

  async assertAccessible(where) {
    await this.page.evaluate(AXE);
    const { violations } = await this.page.evaluate(() =>
      axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }),
    );
    const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join("\n  ")}`);
    assert.deepEqual(told, [], where);
  }

  async end() {
    await this.context.close();
  }
}
