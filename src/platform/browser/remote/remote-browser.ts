import type { Meter, MeterCounts } from "../../../core/account/meter.ts";
import type { EngineOutcome } from "../../../core/scrape/page.ts";
import type { Browser, BrowserRequest } from "../../../ports/browser.ts";
import { logEvent } from "../../log-event.ts";
import { abortable } from "../abortable.ts";
import { failed } from "../page/load-end.ts";
import type { LoadAnswer, LoaderSettings } from "./browser-loader.ts";
import { unpackOutcome } from "./pack-outcome.ts";

/** Objects of a region, among which its loads are distributed: they share the memory of one isolate each. */
const OBJECTS = 32;
const MAX_TRIES = 2;
/** A load that has less time left is not tried again. */
const LEAST_TIME_MS = 2_000;

/** The objects that load pages. */
export interface BrowserLoaders {
  getByName(
    name: string,
    options?: { locationHint?: DurableObjectLocationHint },
  ): {
    load(loadId: string, request: BrowserRequest, settings: LoaderSettings): Promise<LoadAnswer>;
    leave(loadId: string): Promise<void>;
  };
}

interface RemoteBrowserOptions {
  loaders: BrowserLoaders;
  settings: LoaderSettings;
  meter: Meter;
  /** Aborted when the caller has left: the load is ended then. */
  callerLeft?: AbortSignal | undefined;
  defer?: ((work: Promise<unknown>) => void) | undefined;
}

/** Loads pages in the objects beside the browsers, with one call for each page. */
export function createRemoteBrowser(options: RemoteBrowserOptions): Browser {
  return { load: (request) => load(options, request) };
}

async function load(options: RemoteBrowserOptions, request: BrowserRequest, tries = 1): Promise<EngineOutcome> {
  const { loaders, settings, meter, callerLeft, defer } = options;
  // With a fixed number of browsers there is one pool, whose place is that of its first caller.
  const region = settings.browsers.maxBrowsers === undefined ? settings.region : undefined;
  const name = `${region ?? "pool"}-${Math.floor(Math.random() * OBJECTS)}`;
  const loader = loaders.getByName(name, region === undefined ? {} : { locationHint: region });
  const loadId = crypto.randomUUID();
  try {
    const loading = loader.load(loadId, request, settings);
    const { outcome, counts } = callerLeft === undefined ? await loading : await abortable(loading, callerLeft);
    addCounts(meter, counts);
    return await unpackOutcome(outcome);
  } catch (error) {
    if (callerLeft?.aborted === true) {
      defer?.(loader.leave(loadId));
      return failed("SCRAPE_TIMEOUT", "The caller has left");
    }
    logEvent({ event: "browser_loader_failed", reason: String(error) });
    const isWorthATry = isReset(error) && request.deadlineMs - Date.now() > LEAST_TIME_MS;
    if (tries < MAX_TRIES && isWorthATry) return await load(options, request, tries + 1);
    return failed("SCRAPE_BROWSER_UNAVAILABLE", "The browser could not be reached", error);
  }
}

/** Reports whether the object was moved, ended or replaced by a deployment, and another one may take the load. */
function isReset(error: unknown): boolean {
  const { retryable, durableObjectReset, overloaded } = Object(error) as Record<string, unknown>;
  return (retryable === true || durableObjectReset === true) && overloaded !== true;
}

function addCounts(meter: Meter, counts: MeterCounts): void {
  for (const [name, count] of Object.entries(counts)) {
    if (count > 0) meter.add(name as keyof MeterCounts, count);
  }
}
