// What a test of suggestions begins with.

import { strict as assert } from "node:assert";

/// A user with a month of interactions, mined by rules and without a model. In Firestore the first user's alone are kept.
export function minedUser(server, name) {
  let email = `${name}-${Date.now()}@example.org`;
  if (server.firestore) {
    assert.match(server.command(["doctor"]), /those of rich@example\.org in Firestore/);
    email = "rich@example.org";
  } else {
    server.addUser(email);
  }
  // What is alike depends on what came first, and so on the hour at which a history ends.
  const history = ["--rows", "3000", "--random-seed", "7", "--until", "2026-10-05T12:00:00Z"];
  server.command(["seed", "--user", email, ...history]);
  server.command(["mine", "--user", email, "--since", "all"]);
  return email;
}

/// A suggestion whose pattern says this: of several the one that was seen most.
export function suggestionOf(server, email, words) {
  const lines = server.command(["review", "list", "--user", email, "--limit", "1000", "--json"]).split("\n");
  const found = lines.map((line) => JSON.parse(line)).filter(({ pattern }) => words.test(pattern.summary));
  assert(found.length > 0, `no suggestion says ${words}`);
  return found.sort((a, b) => b.recurrence_count - a.recurrence_count)[0].suggestion_id;
}
