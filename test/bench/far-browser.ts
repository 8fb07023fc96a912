import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createBrowser, type BrowserOptions } from "../../src/platform/browser/browser-rendering.ts";
import { packOutcome } from "../../src/platform/browser/remote/pack-outcome.ts";
import { createRemoteBrowser, type BrowserLoaders } from "../../src/platform/browser/remote/remote-browser.ts";
import { Meter } from "../../src/core/account/meter.ts";
import type { Browser, BrowserRequest } from "../../src/ports/browser.ts";
import { startBareBrowser } from "./load/bare-browser.ts";
import { farBinding } from "./load/far-binding.ts";
import { startLinkedSite } from "./load/linked-site.ts";
import { table } from "./load/table.ts";

const USAGE = `npm run bench -- far-browser [flags]

  --near 2      milliseconds of a round trip to a browser beside the caller
  --far 150     milliseconds of a round trip to a browser across an ocean
  --rounds 5    loads of each kind; the median counts

Loads an article in Chromium, whose pool and connection are near or far: once with the commands sent from the caller, and once
with one call to an object beside the browser. Sequential trips are the difference of both times by that of both delays.`;

const { values: flags } = parseArgs({
  options: {
    near: { type: "string", default: "2" },
    far: { type: "string", default: "150" },
    rounds: { type: "string", default: "5" },
    help: { type: "boolean", default: false },
  },
});

const SETTINGS = { maxBrowsers: 1, tabsPerBrowser: 4, warmBrowsers: 1, launchesPerMinute: 60 };
const SESSION = "bench";

function requestOf(url: string): BrowserRequest {
  const deadlineMs = Date.now() + 120_000;
  return { url, deadlineMs, waitForMs: 0, mobile: false, headers: {}, languages: [], blockAds: true, skipTlsVerification: false, actions: [], ownHosts: [] }; // prettier-ignore
}

/** A browser whose pool and connection are so many milliseconds away, there and back. */
function browserAt(ms: number, address: string): Browser {
  const trip = async <Result>(result: Result): Promise<Result> => {
    await sleep(ms);
    return result;
  };
  const pool = {
    acquire: () => trip({ kind: "granted", leaseId: "lease", sessionId: SESSION, queuedMs: 0 }),
    bind: () => trip(undefined),
    release: () => trip(undefined),
  };
  const pools = { getByName: () => pool } as unknown as BrowserOptions["pool"];
  const guard = { check: async () => ({ kind: "allowed" as const }) };
  const clock = { now: () => Date.now() };
  // What is closed after the response counts for nobody.
  const defer = (work: Promise<unknown>): void => void work.catch(() => undefined);
  return createBrowser({ binding: farBinding(address, ms), pool: pools, guard, clock, settings: SETTINGS, defer });
}

/** The same browser behind an object that is so far away, and beside which everything else is. */
function remoteAt(ms: number, address: string): Browser {
  const beside = browserAt(Number(flags.near), address);
  const loader = {
    async load(_: string, request: BrowserRequest) {
      await sleep(ms);
      return { outcome: packOutcome(await beside.load(request)), counts: new Meter().total() };
    },
    leave: async () => undefined,
  };
  const loaders: BrowserLoaders = { getByName: () => loader };
  const settings = {
    browsers: SETTINGS,
    region: undefined,
    allowPrivateHosts: [],
    resolverUrl: "off",
    isBesideLoads: false,
  };
  return createRemoteBrowser({ loaders, settings, meter: new Meter() });
}

async function median(browser: Browser, url: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round <= Number(flags.rounds); round++) {
    const startedAt = performance.now();
    const outcome = await browser.load(requestOf(`${url}p/${round + 1}`));
    if (outcome.kind !== "loaded") throw new Error(`Not loaded: ${JSON.stringify(outcome)}`);
    times.push(performance.now() - startedAt);
  }
  // The first load warms the browser.
  const sorted = times.slice(1).toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

async function bench(): Promise<void> {
  const chromium = await startBareBrowser();
  if (chromium === undefined) return console.log("No browser was found");
  const site = await startLinkedSite(200);
  const [nearMs, farMs] = [Number(flags.near), Number(flags.far)];
  const ways = { "commands from the caller": browserAt, "one call to an object beside it": remoteAt };
  const rows: (string | number)[][] = [];
  try {
    for (const [name, at] of Object.entries(ways)) {
      const near = await median(at(nearMs, chromium.address), site.url);
      const far = await median(at(farMs, chromium.address), site.url);
      rows.push([name, (far - near) / (farMs - nearMs), near, far]);
    }
  } finally {
    await site.close();
    await chromium.close();
  }
  console.log(`A browser ${nearMs} ms and ${farMs} ms away\n\n${table(["load of a page", "sequential trips", "near ms", "far ms"], rows)}`); // prettier-ignore
}

if (flags.help) console.log(USAGE);
else await bench();
