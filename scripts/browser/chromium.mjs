// Chromium, started anew when it no longer answers: that says nothing of a page.

import { chromium } from "playwright-core";

/// Milliseconds within which a browser that is well opens or closes a window.
const PROMPT = 20_000;

/// Browsers that may be lost in a run before it is given up.
const LOSSES = 3;

/// What comes of it, or an error when that takes longer.
export async function within(milliseconds, done) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${milliseconds / 1_000} s`)), milliseconds);
  });
  return Promise.race([done, late]).finally(() => clearTimeout(timer));
}

export class Chromium {
  losses = 0;

  /// The browser that is there, or a new one.
  async browser() {
    if (this.connection?.isConnected()) return this.connection;
    if (this.losses > LOSSES) throw new Error(`${this.losses} browsers no longer answered: given up`);
    this.server = await chromium.launchServer({
      executablePath: process.env.PAWL_CHROMIUM ?? "/usr/bin/chromium",
      args: ["--disable-gpu", "--disable-dev-shm-usage", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
    });
    this.connection = await within(PROMPT, chromium.connect(this.server.wsEndpoint()));
    return this.connection;
  }

  /// Whether it still opens a window; one that does not is ended.
  async isWell() {
    try {
      const context = await within(PROMPT, this.connection.newContext());
      const page = await within(PROMPT, context.newPage());
      await within(PROMPT, page.evaluate(() => 1));
      await within(PROMPT, context.close());
      return true;
    } catch {
      await this.lose();
      return false;
    }
  }

  /// Ends a visit; where that hangs, the whole browser.
  async leave(visit) {
    await within(PROMPT, visit.end()).catch(() => this.lose());
  }

  async lose() {
    this.losses += 1;
    await this.kill();
  }

  async kill() {
    const { server } = this;
    this.server = this.connection = undefined;
    await within(PROMPT, Promise.resolve(server?.kill())).catch(() => server.process().kill("SIGKILL"));
  }
}
