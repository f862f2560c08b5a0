import { strict as assert } from "node:assert";

import { PASSWORD } from "../server.mjs";

const OTHER = "another horse battery staple";

async function newUser(visit, server, path) {
  const email = `settings-${Date.now()}@example.org`;
  const id = server.addUser(email);
  await visit.logIn(email, path);
  return { email, id };
}

export async function thePolicyIsSavedAndInForce(visit, server) {
  const { page } = visit;
  const { id } = await newUser(visit, server, "/settings");
  await visit.look("settings");
  await page.getByLabel("A sample").check();
  await page.getByLabel("Sample, in percent").fill("25");
  await page.getByLabel("Most a day").fill("1000");
  await page.getByLabel("Time zone").fill("Europe/Berlin");
  await page.getByLabel("Mask personal data before it is stored").check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").getByText("The settings are saved").waitFor();
  assert(await page.getByText("About 250 of 1\u202f000 interactions are evaluated").isVisible());
  assert(await page.getByText("Version 1 of these settings.").isVisible());
  assert(await page.getByLabel("A sample").isChecked());
  const { ingestion_secret } = JSON.parse(server.command(["keys", "--json"]));
  const answer = await fetch(`${server.url}/api/evals/policy?user_id=${id}`, { headers: { "x-ingestion-secret": ingestion_secret } });
  const policy = await answer.json();
  assert.deepEqual([policy.run_policy, policy.sample_rate_pct, policy.obfuscate_pii, policy.timezone], ["sampled", 25, true, "Europe/Berlin"]);

  await page.getByLabel("Sample, in percent").fill("250");
  await page.getByLabel("Time zone").fill("Mars/Olympus");
  await page.getByLabel("Mask this as well").fill("ORDER = PX-(\\d+");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Enter a whole number from 0 to 100.").waitFor();
  assert.equal(await page.getByLabel("Time zone").inputValue(), "Mars/Olympus", "what was filled in stays");
  assert.equal(await page.getByRole("alert").count(), 3);
  visit.expectNoise(/422/);
  await visit.look("settings-refused");
}

export async function ofTwoWhoSaveTheSecondIsTold(visit, server) {
  const { page } = visit;
  await newUser(visit, server, "/settings");
  const second = await visit.context.newPage();
  await second.goto("/settings");
  await page.getByLabel("Most a day").fill("10");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The settings are saved").waitFor();
  await second.getByLabel("Most a day").fill("20");
  await second.getByRole("button", { name: "Save" }).click();
  await second.getByText("Somebody has changed the settings").waitFor();
  await page.reload();
  assert.equal(await page.getByLabel("Most a day").inputValue(), "10");
}

export async function maskingIsTriedOnAText(visit) {
  const { page } = visit;
  await visit.logIn("poor@example.org", "/settings");
  await page.getByLabel("Mask this as well").fill("ORDER = PX-\\d+");
  await page.getByLabel("A text").fill("ann@example.org wrote about PX-12345 <b>twice</b>");
  await page.getByRole("button", { name: "Mask it" }).click();
  await page.locator("#preview pre").waitFor();
  assert.equal((await page.locator("#preview pre").textContent()).trim(), "[EMAIL] wrote about [ORDER] <b>twice</b>");
  assert.match(await page.locator("#preview .hint").textContent(), /EMAIL 1 · ORDER 1|ORDER 1 · EMAIL 1/);
  assert.equal(new URL(page.url()).pathname, "/settings");
  await page.locator("#masking").scrollIntoViewIfNeeded();
  await visit.look("settings-masking");
}

export async function aKeyIsMadeUsedAndRevoked(visit, server) {
  const { page } = visit;
  const { id } = await newUser(visit, server, "/settings");
  assert.equal(await page.locator("#user-id").textContent(), id);
  await page.getByLabel("For", { exact: true }).selectOption("ingest");
  await page.getByRole("button", { name: "Make a key" }).click();
  const key = await page.locator("#new-key").textContent();
  await visit.look("settings-key");
  const command = (await page.locator("#curl").textContent()).trim();
  assert(command.includes(key) && command.includes(id) && command.includes(server.url));
  const ingest = (key) =>
    fetch(`${server.url}/api/evals/ingest`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: /-d '([^']*)'/s.exec(command)[1],
    });
  assert.equal((await ingest(key)).status, 201, "the command works as it stands");
  await page.locator("#hand-in").getByRole("button", { name: "Copy" }).first().click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), id);
  await page.goto("/settings");
  assert.equal(await page.locator("#new-key").count(), 0, "it is shown once");
  await page.getByRole("button", { name: /Revoke the key/ }).click();
  await page.getByText("The key is revoked").waitFor();
  assert.equal((await ingest(key)).status, 401);
}

export async function aNewPasswordEndsOtherLogIns(visit, server) {
  const { page } = visit;
  const { email } = await newUser(visit, server, "/settings");
  const other = await visit.context.browser().newContext({ baseURL: server.url });
  const elsewhere = await other.newPage();
  await elsewhere.goto("/login");
  await elsewhere.getByLabel("E-mail address").fill(email);
  await elsewhere.getByLabel("Password").fill(PASSWORD);
  await elsewhere.getByRole("button", { name: "Log in" }).click();
  await elsewhere.waitForURL("/dashboard");

  await page.getByLabel("Your password").first().fill("wrong horse");
  await page.getByLabel("A new one").fill(OTHER);
  await page.getByRole("button", { name: "Change the password" }).click();
  await page.getByText("This is not your password.").waitFor();
  visit.expectNoise(/422/);
  await page.getByLabel("Your password").first().fill(PASSWORD);
  await page.getByLabel("A new one").fill(OTHER);
  await page.getByRole("button", { name: "Change the password" }).click();
  await page.getByText("The password is changed.").waitFor();
  await elsewhere.reload();
  assert.equal(new URL(elsewhere.url()).pathname, "/login");
  await other.close();
}

export async function everythingIsTakenAlongAndDeleted(visit, server) {
  const { page } = visit;
  const { email, id } = await newUser(visit, server, "/settings");
  await server.ingest([{ user_id: id, interaction_id: "mine", prompt: "a", response: "b", score: 1, latency_ms: 1, flags: [] }]);
  const started = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download everything" }).click();
  const stream = await (await started).createReadStream();
  let text = "";
  for await (const chunk of stream) text += chunk;
  const tables = text.trimEnd().split("\n").map((line) => JSON.parse(line).table);
  assert.deepEqual(tables, ["auth.users", "evaluations"]);

  await page.getByText("Delete my account and everything in it").click();
  await page.getByLabel("Your e-mail address").fill("rich@example.org");
  await page.getByLabel("Your password").last().fill(PASSWORD);
  await page.getByRole("button", { name: "Delete everything" }).click();
  await page.getByText("Enter your own e-mail address.").waitFor();
  visit.expectNoise(/422/);
  await page.getByLabel("Your e-mail address").fill(email);
  await page.getByLabel("Your password").last().fill(PASSWORD);
  await page.getByRole("button", { name: "Delete everything" }).click();
  await page.waitForURL(/\/login/);
  assert(!server.command(["user", "list", "--json"]).includes(id));
}
