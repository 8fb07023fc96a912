import type { Probe } from "../ports/readiness.ts";
import type { KeyLedger } from "./account/key-ledger.ts";

interface Bound {
  DB: D1Database;
  BUCKET: R2Bucket;
  KEY_LEDGER: DurableObjectNamespace<KeyLedger>;
  TASKS: Queue;
  JOBS: Queue;
  DEAD_LETTERS: Queue;
  BROWSER?: Fetcher;
}

/** An object of its own, so that asking disturbs no key. */
const PROBED_KEY = "readiness";

/**
 * Ways to find out whether the bindings answer. The database is asked for a table, so that one without its migrations
 * does not pass. Queues can only be looked at: every message in them is work.
 */
export function createProbes(env: Bound): Probe[] {
  const required: Probe[] = [
    { name: "database", isRequired: true, run: () => env.DB.prepare("SELECT id FROM api_keys LIMIT 1").run() },
    { name: "bucket", isRequired: true, run: () => env.BUCKET.head("readiness") },
    { name: "durableObjects", isRequired: true, run: () => env.KEY_LEDGER.getByName(PROBED_KEY).usage() },
    { name: "queues", isRequired: true, run: async () => assertQueues([env.TASKS, env.JOBS, env.DEAD_LETTERS]) },
  ];
  const browser = env.BROWSER;
  if (browser === undefined) return required;
  return [...required, { name: "browser", isRequired: false, run: () => askBrowser(browser) }];
}

function assertQueues(queues: readonly (Queue | undefined)[]): void {
  if (queues.some((queue) => typeof queue?.send !== "function")) throw new Error("A queue is not bound");
}

/** Asks for the account's limits, which starts nothing. */
async function askBrowser(browser: Fetcher): Promise<void> {
  const response = await browser.fetch("https://browser.invalid/v1/limits");
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The browser's binding answers ${response.status}`);
}
