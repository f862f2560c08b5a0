// Runs every page in Chromium, against the real server on both databases, and review over Firestore.
//
//     node scripts/browser/run.mjs --pawl target/debug/pawl [--screenshots FOLDER] [--engine sqlite|postgres|firestore] [--only WORD]
//
// One user has 20,000 interactions of a made-up history, another has none. A test that leaves an error in the console,
// or a violation of the content security policy, has failed whatever else it found.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { Chromium, within } from "./chromium.mjs";
import { prepare } from "./evolving.mjs";
import { Server } from "./server.mjs";
import { Visit } from "./visit.mjs";
import * as dashboard from "./tests/dashboard.mjs";
import * as firstSteps from "./tests/first_steps.mjs";
import * as interactions from "./tests/interactions.mjs";
import * as lineage from "./tests/lineage.mjs";
import * as login from "./tests/login.mjs";
import * as manual from "./tests/manual.mjs";
import * as prompts from "./tests/prompts.mjs";
import * as runs from "./tests/runs.mjs";
import * as settings from "./tests/settings.mjs";
import * as suggestions from "./tests/suggestions.mjs";

const SUITES = { login, firstSteps, dashboard, interactions, suggestions, prompts, lineage, runs, settings, manual };

/// What is over Firestore as it is over a database: there one user has suggestions, the first.
const OVER_FIRESTORE = { suggestions: { fromAFailureToAnApprovedTest: suggestions.fromAFailureToAnApprovedTest } };

const { values: given } = parseArgs({
  options: {
    pawl: { type: "string" },
    screenshots: { type: "string" },
    engine: { type: "string" },
    only: { type: "string", default: "" },
  },
});
if (!given.pawl) {
  console.error("usage: run.mjs --pawl FILE [--screenshots FOLDER] [--engine sqlite|postgres|firestore] [--only WORD]");
  process.exit(2);
}

const chromium = new Chromium();
/// Milliseconds that a test may take.
const MOST = 120_000;
const failures = [];
for (const engine of given.engine ? [given.engine] : ["sqlite", "postgres", "firestore"]) {
  const folder = mkdtempSync(join(tmpdir(), "pawl-browser-"));
  const server = await Server.start({ pawl: given.pawl, engine, folder, prepare });
  try {
    await runSuites(engine, server);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}
await chromium.kill();
console.log(failures.length === 0 ? "all pages are well" : `failed: ${failures.join(", ")}`);
process.exit(failures.length === 0 ? 0 : 1);

async function runSuites(engine, server) {
  for (const [suite, tests] of Object.entries(engine === "firestore" ? OVER_FIRESTORE : SUITES)) {
    for (const [test, run] of Object.entries(tests)) {
      const name = `${engine} ${suite} ${test}`;
      if (!name.includes(given.only)) continue;
      let error = await failureOf(name, run, server);
      // Of a browser that is gone nothing is learned about a page.
      if (error && !(await chromium.isWell())) {
        console.error(`again ${name}: the browser no longer answers (${error.message.split("\n")[0]})`);
        error = await failureOf(name, run, server);
      }
      if (error) {
        failures.push(name);
        console.error(`FAIL  ${name}\n${error.stack}`);
      } else {
        console.log(`ok    ${name}`);
      }
    }
  }
}

/// What went wrong in a test, if anything did.
async function failureOf(name, run, server) {
  let visit;
  try {
    const browser = await chromium.browser();
    visit = await within(MOST, Visit.begin({ browser, server, screenshots: given.screenshots }));
    await within(MOST, run(visit, server));
    visit.assertQuiet();
  } catch (error) {
    error.stack += `\nat ${visit?.page.url()}`;
    // Of a page that no longer answers there is no picture.
    await visit?.page.screenshot({ timeout: 5_000, path: join(tmpdir(), `pawl-browser-${name.replaceAll(" ", "-")}.png`) }).catch(() => {});
    return error;
  } finally {
    if (visit) await chromium.leave(visit);
  }
}
