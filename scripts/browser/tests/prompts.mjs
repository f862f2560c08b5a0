import { strict as assert } from "node:assert";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/// A model that proposes one rule after the other, as Ollama answers.
async function scriptedModel() {
  const server = createServer(async (request, response) => {
    let asked = "";
    for await (const part of request) asked += part;
    const next = asked.includes("Answer. Say please.") ? "Answer. Say please. Say sorry." : "Answer. Say please.";
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ model: "scripted", message: { role: "assistant", content: `\`\`\`\n${next}\n\`\`\`` }, done: true, done_reason: "stop" }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/// Runs a command; meanwhile the scripted model answers.
async function run(server, words, environment = {}) {
  const { stdout } = await promisify(execFile)(server.pawl, words, { env: { ...server.environment, ...environment } });
  return stdout;
}

export async function fromAFirstPromptToABetterOneThatIsLive(visit, server) {
  const { page } = visit;
  const email = `prompts-${Date.now()}@example.org`;
  server.addUser(email);
  await visit.logIn(email, "/prompts");
  assert(await page.getByRole("heading", { name: "No prompt yet" }).isVisible());
  await visit.look("prompts-empty");

  const folder = mkdtempSync(join(tmpdir(), "pawl-prompts-"));
  const file = (name, text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const agent = file("agent.sh", 'read -r request\ncase "$request" in\n*sorry.*) echo sorry, please ;;\n*please.*) echo please ;;\n*) echo no ;;\nesac\n');
  const cases = Array.from({ length: 30 }, (_, n) => `  - {id: case-${n}, vars: {input: q${n}}, assert: [{type: contains, value: please}, {type: contains, value: sorry}]}\n`);
  const suite = file("suite.yaml", `tests:\n${cases.join("")}`);
  server.command(["prompt", "add", "support", file("support.txt", "Answer.\n"), "--user", email]);
  const model = await scriptedModel();
  const words = ["evolve", suite, "--prompt", "support", "--target", `exec:sh ${agent}`, "--reflector", "ollama:scripted", "--max-metric-calls", "400", "--user", email, "--json"];
  const evolved = JSON.parse(await run(server, words, { OLLAMA_HOST: `http://127.0.0.1:${model.address().port}` }));
  model.close();
  await run(server, ["promote", evolved.best.id, "--prompt", "support", "--by", "Ada", "--reason", "the suite passes", "--user", email]);

  await page.reload();
  await visit.look("prompts");
  await page.getByRole("link", { name: "support" }).first().click();
  await page.waitForURL("/prompts/support");
  assert(await page.getByRole("heading", { name: "Live, version 2" }).isVisible());
  assert(await page.getByText("by Ada").isVisible());
  assert(await page.getByText(/0\.000 → 1\.000 on \d+ held-out examples/).isVisible());
  await visit.look("prompt");

  await page.goto(`/optimizations/${evolved.run.id}`);
  assert(await page.getByText("Best", { exact: true }).isVisible());
  assert.equal(await page.locator("ins").first().textContent(), " Say sorry.");
  const cells = page.getByRole("img", { name: /^case-\d+: / });
  assert((await cells.count()) > 0);
  await visit.look("optimization");
  await page.locator("tbody tr").first().getByRole("link").click();
  await page.waitForURL(/candidate=apc_/);
  await page.getByText("What it did, the worst first").waitFor();
  await page.locator("details > summary").first().click();
  assert(await page.getByText("contains").first().isVisible());
}
