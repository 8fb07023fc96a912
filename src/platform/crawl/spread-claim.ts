import { hostOf, spreadByHost } from "../../core/crawl/dispatch.ts";
import type { Wanted } from "../../core/crawl/host-throttle.ts";
import type { PutBackTimes } from "../../core/crawl/put-back-times.ts";
import type { Claim } from "../../ports/crawl/frontier.ts";
import type { Claim as HandedOut } from "../../storage/crawl/frontier-claim.ts";
import type { Frontier } from "../../storage/crawl/frontier.ts";
import { logEvent } from "../log-event.ts";
import { answered } from "../object-calls.ts";
import type { FrontierEnv } from "./frontier-env.ts";

/** Work that may not begin before this is put back instead of being leased. */
const HORIZON_MS = 2_000;
/** Time after which pages are claimed again whose host's throttle did not answer; beyond the horizon. */
const UNANSWERED_MS = 3_000;

export interface Spreading {
  frontier: Frontier;
  throttles: FrontierEnv["HOST_THROTTLE"];
  putBack: PutBackTimes;
}

/** A claim whose pages have their times. */
export interface SpreadClaim {
  claim: Claim;
  /** Hosts of all pages that were claimed. */
  hosts: readonly string[];
  /** Time at which the first of the pages is due that were put back (Unix time in ms). */
  dueMs: number | undefined;
}

type ReserveOptions = Omit<Wanted, "count">;

/** Reserves a time for each claimed URL at its host's throttle, and puts back those that would have to wait long. */
export async function spreadClaim({ frontier, throttles, putBack }: Spreading, claim: HandedOut): Promise<SpreadClaim> {
  const { leaseId, number, isSeed, isComparison = false, ahead: furthest = 0 } = claim;
  const hosts = [...new Set(claim.items.map(({ url }) => hostOf(url)))];
  const delays = frontier.delays(hosts);
  const ownDelayMs = frontier.state()?.config.delayMs ?? 0;
  const keyId = frontier.state()?.config.billing?.keyId;
  const delayOf = (host: string): number => Math.max(ownDelayMs, delays.get(host) ?? 0);
  const moments = await reserve(throttles, claim.items, (host) => {
    return { delayMs: delays.get(host) ?? 0, ownDelayMs, keyId };
  });
  const { now, later } = spreadByHost(claim.items, moments, Date.now() + HORIZON_MS);
  const due = putBackTimes(later, { putBack, delayOf });
  if (later.length > 0) {
    const results = later.map(({ item: { key, attempt } }, place) => {
      return { leaseId, key, attempt, kind: "deferred" as const, retryAtMs: due[place] ?? Date.now() + HORIZON_MS };
    });
    frontier.complete({ results, object: "", candidates: [], filtered: [], hosts: {} }, Date.now());
  }
  const { after = "", lacksSitemap = false } = frontier.state()?.comparison ?? {};
  const ahead = Math.max(0, now.length - (claim.items.length - furthest));
  const more = { ...(isComparison && { comparison: { after, lacksSitemap } }), ...(ahead > 0 && { ahead }) };
  const spread = { leaseId, number, isSeed, ...more, items: now };
  return { claim: spread, hosts, dueMs: due.length === 0 ? undefined : Math.min(...due) };
}

/** Returns the time of each page that is put back. */
function putBackTimes(
  later: readonly { item: { url: string }; atMs: number }[],
  { putBack, delayOf }: { putBack: PutBackTimes; delayOf: (host: string) => number },
): number[] {
  const grants = Map.groupBy(later, ({ item }) => hostOf(item.url));
  const times = new Map(
    [...grants].map(([host, pages]) => {
      const moments = pages.map(({ atMs }) => atMs);
      return [host, putBack.of(host, moments, { delayMs: delayOf(host), nowMs: Date.now() })];
    }),
  );
  return later.map(({ item, atMs }) => times.get(hostOf(item.url))?.shift() ?? atMs);
}

/** Asks the throttle of a host. Without its answer, the pages are put back: a failed call must not count as an attempt. */
async function reserveAt(
  throttles: Spreading["throttles"],
  { host, count, options }: { host: string; count: number; options: ReserveOptions },
): Promise<number[]> {
  try {
    return await answered(throttles.getByName(host).reserve(host, count, options));
  } catch (error) {
    logEvent({ event: "host_throttle_failed", host, message: String(error) });
    return Array.from({ length: count }, () => Date.now() + UNANSWERED_MS);
  }
}

async function reserve(
  throttles: Spreading["throttles"],
  items: readonly { url: string }[],
  optionsOf: (host: string) => ReserveOptions,
): Promise<Map<string, number[]>> {
  const counts = new Map<string, number>();
  for (const { url } of items) {
    const host = hostOf(url);
    counts.set(host, (counts.get(host) ?? 0) + 1);
  }
  const reserved = await Promise.all(
    [...counts].map(async ([host, count]): Promise<[string, number[]]> => {
      const moments = await reserveAt(throttles, { host, count, options: optionsOf(host) });
      return [host, moments];
    }),
  );
  return new Map(reserved);
}
