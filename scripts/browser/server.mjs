// A real server with a database of its own, and users in it.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const PASSWORD = "correct horse battery staple";

export class Server {
  /// Starts one, with `rich@example.org`, who has 20,000 interactions, and `poor@example.org`, who has none.
  /// Over Firestore both have none.
  static async start({ pawl, engine, folder, prepare }) {
    const server = new Server(pawl, engine, folder);
    if (engine === "firestore") await server.useFirestore();
    await prepare(server);
    for (const email of ["rich@example.org", "poor@example.org"]) server.addUser(email);
    if (!server.firestore) server.command(["seed", "--user", "rich@example.org", "--random-seed", "7"]);
    await server.serve();
    return server;
  }

  constructor(pawl, engine, folder) {
    this.pawl = pawl;
    // Of browsers that logged in, by address.
    this.cookies = new Map();
    const foreign = /^(PAWL_|SUPABASE_|DATABASE_URL|INGESTION_)/;
    this.environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
    this.environment.PAWL_DATA_DIR = folder;
    if (engine === "postgres") this.environment.PAWL_DATABASE_URL = this.migratedPostgres();
  }

  /// Keeps suggestions in a Firestore of its own, beside SQLite.
  async useFirestore() {
    const program = fileURLToPath(new URL("../../crates/pawl-testkit/firestore/server.cjs", import.meta.url));
    this.firestore = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] });
    const [host] = await once(createInterface(this.firestore.stdout), "line");
    Object.assign(this.environment, {
      PAWL_SUGGESTIONS: "firestore",
      GOOGLE_CLOUD_PROJECT: "acme",
      FIRESTORE_COLLECTION_PREFIX: "test_",
      FIRESTORE_EMULATOR_HOST: host,
    });
  }

  command(words, input = "") {
    const options = { env: this.environment, input, stdio: ["pipe", "pipe", "inherit"], encoding: "utf8", timeout: 120_000 };
    return execFileSync(this.pawl, words, options).trim();
  }

  /// Adds a user; gives their id.
  addUser(email) {
    return JSON.parse(this.command(["user", "add", email, "--password-stdin", "--json"], `${PASSWORD}\n`)).id;
  }

  /// A fresh database with an owner of its own; the URL of its runtime role.
  migratedPostgres() {
    const base = new URL(process.env.PAWL_TEST_POSTGRES_URL);
    const name = `pawl_browser_${process.pid}`;
    for (const statement of [
      `create role ${name} login createrole password 'for-tests-only'`,
      `create database ${name} owner ${name}`,
    ]) {
      execFileSync("psql", ["--quiet", "--no-psqlrc", base.href, "-c", statement]);
    }
    const owner = `postgres://${name}:for-tests-only@${base.host}/${name}`;
    return this.command(["migrate", "--database-url", owner, "--runtime-role", `${name}_app`]);
  }

  async serve() {
    this.process = spawn(this.pawl, ["serve", "--listen", "127.0.0.1:0"], { env: this.environment, stdio: ["ignore", "ignore", "pipe"] });
    this.log = "";
    this.url = await new Promise((resolve, reject) => {
      this.process.once("exit", (code) => reject(new Error(`pawl serve ended with ${code}:\n${this.log}`)));
      this.process.stderr.on("data", (data) => {
        this.log += data;
        const answers = /pawl answers at (\S+) /.exec(this.log);
        if (answers) resolve(answers[1]);
      });
    });
  }

  /// Hands interactions in for a user, as agents do.
  async ingest(interactions) {
    const { ingestion_secret } = JSON.parse(this.command(["keys", "--json"]));
    const response = await fetch(`${this.url}/api/evals/ingest`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-ingestion-secret": ingestion_secret },
      body: JSON.stringify(interactions),
    });
    if (!response.ok) throw new Error(`not taken: ${await response.text()}`);
    return response.json();
  }

  async stop() {
    this.process.removeAllListeners("exit");
    this.process.kill("SIGTERM");
    const late = setTimeout(() => this.process.kill("SIGKILL"), 30_000);
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, "exit");
    clearTimeout(late);
    this.firestore?.stdin.end();
  }
}
