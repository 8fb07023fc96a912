import { limits } from "@cloudflare/puppeteer";
import type { DeploymentProbes } from "../ports/deployment-probes.ts";
import type { Probe } from "../ports/readiness.ts";
import type { KeyLedger } from "./account/key-ledger.ts";
import { databaseWarning } from "./metering/watched-database.ts";

interface Bound {
  DB: D1Database;
  BUCKET: R2Bucket;
  KEY_LEDGER: DurableObjectNamespace<KeyLedger>;
  TASKS: Queue;
  MONITORS: Queue;
  SCRAPES: Queue;
  JOBS: Queue;
  DEAD_LETTERS: Queue;
  BROWSER?: Fetcher;
}

/** A separate object, so that the probe affects no key. */
const PROBED_KEY = "readiness";

/**
 * Returns probes for the bindings. The database probe reads a table, so that a database without its migrations fails.
 * Queues are only checked for existence: every message in them would be work.
 */
export function createProbes(env: Bound): Probe[] {
  const required: Probe[] = [
    { name: "database", isRequired: true, run: () => askDatabase(env.DB) },
    { name: "bucket", isRequired: true, run: () => env.BUCKET.head("readiness") },
    { name: "durableObjects", isRequired: true, run: () => env.KEY_LEDGER.getByName(PROBED_KEY).usage() },
    {
      name: "queues",
      isRequired: true,
      run: async () => assertQueues([env.TASKS, env.MONITORS, env.SCRAPES, env.JOBS, env.DEAD_LETTERS]),
    },
  ];
  const browser = env.BROWSER;
  if (browser === undefined) return required;
  return [...required, { name: "browser", isRequired: false, run: () => askBrowser(browser) }];
}

/** Returns a warning when the database is nearly full. */
async function askDatabase(db: D1Database): Promise<string | undefined> {
  const { meta } = await db.prepare("SELECT id FROM api_keys LIMIT 1").run();
  return databaseWarning(meta.size_after);
}

/** Returns the probes of a deployment check, whose calls are part of no bill. */
export function createDeploymentProbes({ DB, KEY_LEDGER }: Pick<Bound, "DB" | "KEY_LEDGER">): DeploymentProbes {
  return {
    async readDatabase() {
      const { meta } = await DB.withSession("first-unconstrained").prepare("SELECT id FROM api_keys LIMIT 1").run();
      return { region: meta.served_by_region, isPrimary: meta.served_by_primary };
    },
    async callObject() {
      await KEY_LEDGER.getByName(PROBED_KEY).usage();
    },
  };
}

function assertQueues(queues: readonly (Queue | undefined)[]): void {
  if (queues.some((queue) => typeof queue?.send !== "function")) throw new Error("A queue is not bound");
}

/** Reads the account's limits, which starts no browser. */
async function askBrowser(browser: Fetcher): Promise<void> {
  await limits(browser);
}
