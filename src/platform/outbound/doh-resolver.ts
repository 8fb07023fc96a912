import { z } from "zod";
import { copyText } from "../../core/text/copy-text.ts";
import { isPublicAddress } from "../../core/url/outbound-policy.ts";
import type { Clock, Resolution, Resolver } from "../../ports/system.ts";
import type { ConnectionSlots } from "./connection-slots.ts";
import { readBody } from "./read-body.ts";

const RESOLVE_TIMEOUT_MS = 2000;
/** A DNS message has at most 65,535 bytes (RFC 1035 § 4.2.2), which become at most some four times as many in JSON. */
const MAX_ANSWER_BYTES = 262_144;
const MAX_CACHED_NAMES = 2000;
/** Addresses of a name that are kept; the longest text of one has 45 characters. Large services have some ten. */
const MAX_ADDRESSES = 32;
const MAX_ADDRESS_CHARS = 45;
const MIN_TTL_MS = 5000;
const MAX_TTL_MS = 60_000;
const NXDOMAIN = 3;
const TYPE_A = 1;
const TYPE_AAAA = 28;

const Answer = z.object({
  Status: z.number(),
  Answer: z.array(z.object({ type: z.number(), TTL: z.number().default(60), data: z.string() })).default([]),
});

/** Resolved names of an isolate, which the resolvers of all its invocations share. */
export type DnsCache = Map<string, CachedResolution>;

const CachedResolution = z.object({
  resolution: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("addresses"), addresses: z.array(z.string()) }),
    z.object({ kind: z.literal("not_found") }),
    z.object({ kind: z.literal("unknown"), reason: z.string() }),
  ]),
  expiresAtMs: z.number(),
});
type CachedResolution = z.infer<typeof CachedResolution>;

/** Keys of the colo's cache are URLs; no server has this name. */
const COLO_KEY = "https://resolved-names.invalid/";

interface Options {
  url: string;
  clock: Clock;
  fetcher?: typeof fetch;
  cache?: DnsCache;
  /** The cache of the colo, which the isolates of one place share. */
  colo?: Pick<Cache, "match" | "put"> | undefined;
  /** The connection slots of the invocation, which lookups take like requests to sites. */
  slots?: ConnectionSlots;
  /** Aborted when the caller of the invocation has left: lookups then no longer wait for a slot. */
  callerLeft?: AbortSignal | undefined;
}

/**
 * Resolves names by DNS over HTTPS in the JSON form (which servers of RFC 8484 commonly offer), both address families
 * at once. Results are cached for 5 to 60 s, in the isolate and in the colo, so a host costs a colo one lookup per minute. Lookups of one name at the
 * same time are one.
 */
export function createDohResolver({ url, clock, ...options }: Options): Resolver {
  const fetcher = options.fetcher ?? ((input, init) => fetch(input, init));
  const cache: DnsCache = options.cache ?? new Map();
  const underWay = new Map<string, Promise<Resolution>>();

  async function query(hostname: string, type: "A" | "AAAA"): Promise<z.infer<typeof Answer>> {
    const endpoint = new URL(url);
    endpoint.searchParams.set("name", hostname);
    endpoint.searchParams.set("type", type);
    const leave = await options.slots?.enter(options.callerLeft);
    try {
      const signal = AbortSignal.timeout(RESOLVE_TIMEOUT_MS);
      const response = await fetcher(endpoint.href, { headers: { accept: "application/dns-json" }, signal });
      const body = await readBody(response, MAX_ANSWER_BYTES, signal);
      return Answer.parse(JSON.parse(new TextDecoder().decode(body)));
    } finally {
      leave?.();
    }
  }

  async function lookUp(hostname: string): Promise<CachedResolution> {
    const answers = await Promise.all([query(hostname, "A"), query(hostname, "AAAA")]);
    const records = answers
      .flatMap((answer) => answer.Answer)
      .filter(({ type }) => type === TYPE_A || type === TYPE_AAAA);
    const ttlMs = Math.min(MAX_TTL_MS, Math.max(MIN_TTL_MS, ...records.map(({ TTL }) => TTL * 1000)));
    return {
      resolution: toResolution(
        answers.map(({ Status }) => Status),
        records,
      ),
      expiresAtMs: clock.now() + ttlMs,
    };
  }

  /** Returns a resolution of another isolate that is still valid. A cache that fails is as good as an empty one. */
  async function readColo(hostname: string): Promise<CachedResolution | undefined> {
    try {
      const response = await options.colo?.match(coloKey(url, hostname));
      const found = response && CachedResolution.parse(await response.json());
      return found !== undefined && found.expiresAtMs > clock.now() ? found : undefined;
    } catch {
      return undefined;
    }
  }

  async function lookUpForColo(hostname: string): Promise<CachedResolution> {
    const found = await lookUp(hostname);
    const seconds = Math.floor((found.expiresAtMs - clock.now()) / 1000);
    if (options.colo !== undefined && found.resolution.kind !== "unknown" && seconds > 0) {
      const response = Response.json(found, { headers: { "cache-control": `max-age=${seconds}` } });
      // Not awaited: the request goes on meanwhile.
      void options.colo.put(coloKey(url, hostname), response).catch(() => undefined);
    }
    return found;
  }

  async function resolveAnew(hostname: string): Promise<Resolution> {
    try {
      const found = (await readColo(hostname)) ?? (await lookUpForColo(hostname));
      if (cache.size >= MAX_CACHED_NAMES) cache.clear();
      cache.set(hostname, found);
      return found.resolution;
    } catch (error) {
      return { kind: "unknown", reason: error instanceof Error ? error.message : String(error) };
    }
  }

  return {
    async resolve(hostname): Promise<Resolution> {
      const cached = cache.get(hostname);
      if (cached !== undefined && cached.expiresAtMs > clock.now()) return cached.resolution;
      const resolving = underWay.get(hostname) ?? resolveAnew(hostname);
      underWay.set(hostname, resolving);
      return await resolving.finally(() => underWay.delete(hostname));
    },
  };
}

function coloKey(resolverUrl: string, hostname: string): string {
  return `${COLO_KEY}${encodeURIComponent(resolverUrl)}/${encodeURIComponent(hostname)}`;
}

/** Of many addresses, those that are not public are kept first: one of them is enough to refuse the name. */
function toResolution(statuses: number[], records: { data: string }[]): Resolution {
  if (records.length > 0) {
    // An address that is too long stays one that is not public.
    const all = records.map(({ data }) => data.slice(0, MAX_ADDRESS_CHARS));
    const hidden = all.length > MAX_ADDRESSES ? all.filter((address) => !isPublicAddress(address)) : [];
    const kept = [...hidden.slice(0, 1), ...all].slice(0, MAX_ADDRESSES);
    return { kind: "addresses", addresses: kept.map(copyText) };
  }
  if (statuses.every((status) => status === NXDOMAIN || status === 0)) return { kind: "not_found" };
  return { kind: "unknown", reason: `DNS status ${statuses.join(", ")}` };
}

/** For deployments without a resolver: the address check accepts every name. */
export const noResolver: Resolver = {
  resolve: async () => ({ kind: "unknown", reason: "no resolver is configured" }),
};
