// What the server may run to evolve prompts, and a model that proposes texts.

import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "pawl-prompts-"));

export function file(name, text) {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

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

/// What the server may run, named: an agent that does as its prompt says, in its time, and a suite.
export async function prepare(server) {
  const agent = file("agent.sh", 'read -r request\nsleep $1\ncase "$request" in\n*sorry.*) echo sorry, please ;;\n*please.*) echo please ;;\n*) echo no ;;\nesac\n');
  const cases = Array.from({ length: 30 }, (_, n) => `  - {id: case-${n}, vars: {input: q${n}}, assert: [{type: contains, value: please}, {type: contains, value: sorry}]}\n`);
  file("suite.yaml", `tests:\n${cases.join("")}`);
  const model = await scriptedModel();
  model.unref();
  Object.assign(server.environment, {
    PAWL_EVOLVE_TARGETS: `agent=exec:sh ${agent} 0.02, slow=exec:sh ${agent} 1`,
    PAWL_EVOLVE_SUITES: folder,
    OLLAMA_HOST: `http://127.0.0.1:${model.address().port}`,
  });
}
