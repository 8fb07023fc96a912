import { createSystemLookup, type Lookup } from "./system-lookup.ts";

export type { Lookup } from "./system-lookup.ts";

export type NameAnswer =
  | { kind: "addresses"; addresses: { address: string; family: number }[] }
  | { kind: "not_found" }
  | { kind: "unavailable" };

const TIMEOUT_MS = 1_800;
/** Never resolve anywhere (RFC 6761 § 6.4, RFC 7686 § 2). */
const UNRESOLVABLE = /(?:^|\.)(?:invalid|onion)$/;
/** Resolve at most by an entry of this machine (RFC 6761 § 6.2, § 6.5). */
const RESERVED = /(?:^|\.)(?:test|example)$/;

/** This machine's resolver, its hosts file included. */
export const systemLookup: Lookup = createSystemLookup();

/**
 * Resolves a name, both address families at once, and says whether it exists. Never throws.
 * @param ask as returned by `onceAtATime`, where questions for the same name may come together
 */
export async function resolveName(asked: string, ask: Lookup): Promise<NameAnswer> {
  const name = asked.toLowerCase().replace(/\.$/, "");
  if (UNRESOLVABLE.test(name)) return { kind: "not_found" };
  try {
    return { kind: "addresses", addresses: await withTimeout(ask(name)) };
  } catch (error) {
    // A machine without a network says EAI_AGAIN of every name, so that alone never means that a name does not exist.
    const isUnknown = (error as NodeJS.ErrnoException).code === "ENOTFOUND" || RESERVED.test(name);
    return { kind: isUnknown ? "not_found" : "unavailable" };
  }
}

/** Merges questions for the same name that are under way together: the system runs few look-ups at a time. */
export function onceAtATime(resolve: Lookup): Lookup {
  const running = new Map<string, ReturnType<Lookup>>();
  return (name) => {
    const known = running.get(name);
    if (known !== undefined) return known;
    const started = resolve(name).finally(() => running.delete(name));
    running.set(name, started);
    return started;
  };
}

const KEPT_MS = 5_000;
const MAX_KEPT = 2_000;

/** Answers again what was found out in the last seconds, so that a crawl does not ask before each page. */
export function keepAnswers(resolve: Lookup, now: () => number = Date.now): Lookup {
  const kept = new Map<string, { answer: Awaited<ReturnType<Lookup>>; untilMs: number }>();
  return async (name) => {
    const known = kept.get(name);
    if (known !== undefined && known.untilMs > now()) return known.answer;
    const answer = await resolve(name);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(name, { answer, untilMs: now() + KEPT_MS });
    return answer;
  };
}

function withTimeout<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The system's resolver does not answer")), TIMEOUT_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
