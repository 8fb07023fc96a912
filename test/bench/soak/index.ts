import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { makeKey } from "../../../src/tools/setup/kept-keys.ts";
import { seedBrowser } from "../../../src/tools/browser/seed-browser.ts";
import { startSite } from "../../site/start-site.ts";
import { percentile } from "../content/percentile.ts";
import { table } from "../load/table.ts";
import { Caller } from "./caller.ts";
import { keepService } from "./keep-service.ts";
import { Kills, KILLS } from "./kills.ts";
import { ROUNDS, TREE_PAGES, work } from "./load.ts";
import { compareMemory, measure, SETTLED_MINUTES, totalBytes, type Measurement, type MemorySample } from "./measure.ts";
import { faultsOfStoredState, heldSlots } from "./stored-state.ts";

const USAGE = `npm run soak -- [flags]

Runs a mixed load against a service whose processes are killed at random, and fails when a page is lost or doubled, a
slot is held, a job hangs, a process stays, or credits are not those of the ledger.

  --minutes 30      how long
  --kill-every 20   seconds of service between two kills on average; 0 for none
  --seed 1          of the kills
  --pause 0.25      seconds between two rounds of each kind of work
  --exact           leaves out the check of memory, which takes more than ten minutes to settle`;

const { values: flags } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    "kill-every": { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    pause: { type: "string", default: "0.25" },
    exact: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const MINUTE_MS = 60_000;
const SAMPLE_MS = 5_000;
/** A sample counts when the last kill is at least so long ago and the service responds: a restarted runtime is small. */
const SETTLED_AFTER_KILL_MS = 10_000;
const DRAIN_MS = 120_000;

const faults: string[] = [];
const fault = (what: string): void => {
  faults.push(what);
  console.log(`FAULT ${what}`);
};

async function soak(): Promise<void> {
  const persistDir = await mkdtemp(join(tmpdir(), "soak-"));
  const site = await startSite({ treePages: TREE_PAGES });
  const settings = {
    API_KEY: makeKey(),
    ADMIN_KEY: makeKey(),
    ALLOW_PRIVATE_HOSTS: "127.0.0.1,localhost",
    SEARCH_PROVIDERS: "own-index",
    CREDITS_PER_MONTH: "1000000",
  };
  await seedBrowser({ log: console.log });
  const service = await keepService({ persistDir, settings, log: (line) => console.log(line) });
  const kills = new Kills();
  const caller = new Caller({ url: service.url, key: settings.API_KEY });
  const samples: MemorySample[] = [];
  try {
    await run({ caller, kills, site, persistDir, samples });
    await drain(caller, persistDir);
  } finally {
    kills.look();
    await service.stop();
    await site.close();
  }
  const left = kills.descendants();
  if (left.length > 0) fault(`processes stay: ${left.map(describe).join("; ")}`);
  for (const found of faultsOfStoredState(persistDir, Date.now())) fault(found);
  if (!flags.exact) checkMemory(samples);
  await rm(persistDir, { recursive: true, force: true, maxRetries: 3 });
  const counts = KILLS.map((what) => `${kills.done.filter((kill) => kill.what === what).length} of ${what}`);
  console.log(`\nKills: ${counts.join(", ")}. Faults: ${faults.length}.`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

interface Run {
  caller: Caller;
  kills: Kills;
  site: Awaited<ReturnType<typeof startSite>>;
  persistDir: string;
  samples: MemorySample[];
}

async function run({ caller, kills, site, persistDir, samples }: Run): Promise<void> {
  const over = new AbortController();
  const world = { caller, site, kills, fault };
  const pauseMs = Number(flags.pause) * 1000;
  const working = Object.keys(ROUNDS).map((kind) => work(world, kind, { pauseMs, signal: over.signal }));
  const killing = killAtRandom({ caller, kills }, over.signal);
  const sampling = sampleMemory({ caller, kills, persistDir, samples }, over.signal);
  const endsAtMs = Date.now() + Number(flags.minutes) * MINUTE_MS;
  for (let minute = 1; Date.now() < endsAtMs; minute++) {
    await sleep(Math.max(0, Math.min(MINUTE_MS, endsAtMs - Date.now())));
    kills.look();
    const measurement = measure(kills.descendants(), persistDir);
    printMinute(minute, { caller, measurement });
  }
  over.abort();
  await Promise.all([...working, killing, sampling]);
}

async function sampleMemory(
  { caller, kills, persistDir, samples }: Pick<Run, "caller" | "kills" | "persistDir" | "samples">,
  signal: AbortSignal,
): Promise<void> {
  const startedAtMs = Date.now();
  while (!signal.aborted) {
    await sleep(SAMPLE_MS, undefined, { signal, ref: false }).catch(() => undefined);
    const lastKillAtMs = kills.done.at(-1)?.atMs ?? 0;
    if (Date.now() - lastKillAtMs < SETTLED_AFTER_KILL_MS || !(await caller.responds())) continue;
    kills.look();
    const bytes = totalBytes(measure(kills.descendants(), persistDir));
    samples.push({ atMs: Date.now() - startedAtMs, bytes });
  }
}

/** Kills come in turn and at random moments, each when the service has answered again after the one before. */
async function killAtRandom({ caller, kills }: Pick<Run, "caller" | "kills">, signal: AbortSignal): Promise<void> {
  const everyMs = Number(flags["kill-every"]) * 1000;
  let state = Number(flags.seed);
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  if (everyMs === 0) return;
  for (let turn = 0; ; turn++) {
    await caller.healthy(signal);
    await sleep(everyMs * (0.5 + random()), undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    const what = KILLS[turn % KILLS.length] ?? "group";
    console.log(kills.kill(what) ? `SIGKILL: ${what}` : `There is no ${what} to kill`);
  }
}

/** Waits until nothing runs any more: every slot is given back, and every session has ended. */
async function drain(caller: Caller, persistDir: string): Promise<void> {
  const startedAtMs = Date.now();
  for (;;) {
    const { body } = await caller.ask("drain", "/v2/concurrency-check");
    const sessions = await caller.ask("drain", "/v2/browser?status=active");
    const open = (sessions.body["sessions"] as unknown[] | undefined)?.length ?? 0;
    const slots = heldSlots(persistDir, Date.now());
    if (body["concurrency"] === 0 && open === 0 && slots === 0) return;
    if (Date.now() - startedAtMs > DRAIN_MS) {
      return fault(`${slots} slots and ${open} sessions are held ${DRAIN_MS / 1000} s after the end`);
    }
    await sleep(1_000);
  }
}

function printMinute(minute: number, { caller, measurement }: { caller: Caller; measurement: Measurement }): void {
  const samples = caller.samples.splice(0);
  const kinds = [...new Set(samples.map(({ kind }) => kind))].toSorted();
  const rows = kinds.map((kind) => {
    const own = samples.filter((sample) => sample.kind === kind);
    const good = own.filter(({ outcome }) => outcome === "200");
    const others = Map.groupBy(
      own.filter(({ outcome }) => outcome !== "200"),
      ({ outcome }) => outcome,
    );
    const errors = [...others].map(([outcome, { length }]) => `${length} × ${outcome}`).join(", ");
    return [
      kind,
      own.length,
      percentile(
        good.map(({ ms }) => ms),
        95,
      ),
      errors === "" ? "–" : errors,
    ];
  });
  const memory = Object.entries(measurement.memoryBytes).map(([name, bytes]) => `${name} ${megabytes(bytes)}`);
  console.log(`\nMinute ${minute}\n${table(["kind", "requests", "p95 ms", "errors"], rows)}`);
  console.log(
    `Memory: ${memory.join(", ")}; descriptors: ${measurement.descriptors}; stored: ${megabytes(measurement.storedBytes)}`,
  );
}

function checkMemory(samples: readonly MemorySample[]): void {
  const compared = compareMemory(samples);
  if (compared === undefined) return console.log("Too short to tell whether memory grows.");
  const { beforeBytes, afterBytes, hasGrown } = compared;
  console.log(
    `Memory after ${SETTLED_MINUTES} minutes: ${megabytes(beforeBytes)}; at the end: ${megabytes(afterBytes)}`,
  );
  if (hasGrown) fault(`memory grew from ${megabytes(beforeBytes)} to ${megabytes(afterBytes)}`);
}

/** Number, state, parent and command line of a process. */
function describe(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").slice(0, 200);
    return `${pid} (${state}, parent ${parent}: ${command.trim()})`;
  } catch {
    return `${pid} (ended since)`;
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(0)} MB`;
}

if (flags.help) console.log(USAGE);
else await soak();
