import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { readNameRules, type NameRules } from "./name-rules.ts";

/** Addresses of a host name as `dns.lookup` with `all` gives them. */
export type Lookup = (name: string) => Promise<{ address: string; family: number }[]>;

interface LookupOptions {
  /** Text of a file of the system; empty for one that is not there. */
  read?: (path: string) => string;
  /** `getaddrinfo`. */
  askSystem?: Lookup;
  /** Name servers, as `address:port`, in place of those of the machine. */
  servers?: readonly string[];
  platform?: NodeJS.Platform;
}

/** The first of three tries, of each name server; c-ares doubles it for each further one. */
const TRY_MS = 800;
const TRIES = 3;
/** How long addresses of one family wait for those of the other: some name servers answer for one only. */
const GRACE_MS = 300;
/** The same for those of IPv4, which most machines need: enough for a second try. */
const IPV4_GRACE_MS = 900;
/** The machine's files may change, as when it changes its network. */
const RULES_KEPT_MS = 5_000;
/** The last one is that of a name which no server can have: a label is empty or has more than 63 bytes. */
const NO_SUCH_NAME = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);

/**
 * Resolves as this machine does. `getaddrinfo` occupies a thread until the last name server has answered or been given
 * up, 10 s and more, and libuv runs two at a time: a few names whose servers do not answer would stop all others. On
 * Linux, names that only DNS has are therefore asked of the machine's name servers without a thread, with its search
 * domains; `getaddrinfo` is left those of the hosts file, of the local network and of single labels, and all names where
 * other sources are configured.
 */
export function createSystemLookup(options: LookupOptions = {}): Lookup {
  const { read = readText, askSystem = getAddresses, servers, platform = process.platform } = options;
  if (platform !== "linux") return askSystem;
  const newResolver = (): Resolver => {
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    return resolver;
  };
  let known: { rules: NameRules; untilMs: number } | undefined;
  const currentRules = (resolver: Resolver): NameRules => {
    if (known !== undefined && known.untilMs > performance.now()) return known.rules;
    const rules = readNameRules(read, { servers: resolver.getServers(), host: hostname(), env: process.env });
    known = { rules, untilMs: performance.now() + RULES_KEPT_MS };
    return rules;
  };
  return async (name) => {
    // One for each name, with a socket of its own: on a shared one, names that are not answered delay others.
    const resolver = newResolver();
    const rules = currentRules(resolver);
    if (rules.isOfSystem(name)) return await askSystem(name);
    try {
      return await askInTurn(resolver, rules.candidatesOf(name), name);
    } catch (error) {
      // Where no name server can be reached in this way, the system may know another.
      if (codeOf(error) === "ECONNREFUSED") return await askSystem(name);
      throw error;
    }
  };
}

/**
 * Returns the addresses of the first of the names that has some. A search domain whose servers answer with a failure hides no other name: the
 * failure that counts is that of the name as it was given. Once no server has answered for a name, no further search domain is tried, as in
 * `getaddrinfo`: each would take as long.
 */
async function askInTurn(resolver: Resolver, names: readonly string[], given: string): Promise<LookupAddress[]> {
  let [own, other]: [own?: unknown, other?: unknown] = [];
  let isUnanswered = false;
  for (const name of names) {
    if (isUnanswered && name !== given) continue;
    try {
      return await askBothFamilies(resolver, name);
    } catch (error) {
      // No name server can be reached.
      if (codeOf(error) === "ECONNREFUSED") throw error;
      isUnanswered ||= codeOf(error) === "ETIMEOUT";
      if (name === given) own = error;
      else other ??= error;
    }
  }
  const failure = own ?? other;
  // A name without addresses counts as one that does not exist.
  throw NO_SUCH_NAME.has(codeOf(failure))
    ? Object.assign(new Error(`${given} has no address`), { code: "ENOTFOUND" })
    : failure;
}

/** IPv4 comes first: where IPv6 is not routed, a connection would fail there before it is made. */
async function askBothFamilies(resolver: Resolver, name: string): Promise<LookupAddress[]> {
  const found: LookupAddress[] = [];
  const note = (family: 4 | 6) => (addresses: string[]) =>
    void found.push(...addresses.map((address) => ({ address, family })));
  const asked = [resolver.resolve4(name).then(note(4)), resolver.resolve6(name).then(note(6))];
  const all = Promise.allSettled(asked);
  await Promise.any(asked).catch(() => undefined);
  if (found.length > 0) {
    const graceMs = found.some(({ family }) => family === 4) ? GRACE_MS : IPV4_GRACE_MS;
    await Promise.race([all, sleep(graceMs, undefined, { ref: false })]);
    return found.toSorted((a, b) => a.family - b.family);
  }
  const reasons = (await all).flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
  throw reasons.find((reason) => !NO_SUCH_NAME.has(codeOf(reason))) ?? reasons[0];
}

const getAddresses: Lookup = (name) => lookup(name, { all: true });

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code ?? "");

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
