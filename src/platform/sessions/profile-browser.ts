import { pageFunctions } from "#page-scripts";
import type { Protocol } from "devtools-protocol";
import { z } from "zod";
import {
  addSessionStorage,
  originsOf,
  OriginState,
  type ProfileCookie,
  type ProfileState,
} from "../../core/sessions/profile.ts";
import { readStored } from "../../core/stored-state.ts";
import type { Visits } from "../../ports/sessions/browser-session.ts";
import type { Captured, ProfileBrowser } from "../../ports/sessions/profiles.ts";
import { within } from "../browser/abortable.ts";
import { setCookies } from "../browser/set-cookies.ts";
import { BrowserGoneError, type CdpConnection } from "../browser/cdp-connection.ts";
import { withConnection } from "../browser/with-connection.ts";
import { logEvent } from "../log-event.ts";
import { StorageTab } from "./storage-tab.ts";

/** Origins that are looked at, and those that a profile has, of which the ones that were looked at last come first. */
const MAX_ORIGINS = 100;
const MAX_KEPT = 200;
/** Storage of an origin, and how many of its records and databases are too large or cannot be stored. */
const ReadOrigin = OriginState.extend({ leftOut: z.number().default(0) });
type ReadOrigin = z.infer<typeof ReadOrigin>;
/** Keys and values of a storage. */
const Entries = z.array(z.tuple([z.string(), z.string()]));
/**
 * Time limits of the two tries for one origin. On a busy machine a new renderer process alone can take seconds, and so can a message
 * with all of a storage, of 10 MB and more.
 */
const TRY_LIMITS_MS = [8_000, 16_000];
const CAPTURE_LIMIT_MS = 25_000;
const RESTORE_LIMIT_MS = 25_000;
/** Of a capture or restore with the steps that concern no single origin. */
const LIMIT_MS = 30_000;

/** The result of work on one origin. */
type Attempt<T> = { kind: "done"; value: T } | { kind: "failed"; reason: string };

/** Reads and writes the state of a browser over a separate connection. Covers only the browser's default context. */
export function createProfileBrowser(binding: Fetcher): ProfileBrowser {
  return {
    capture: (browserId, visits, before) =>
      withConnection({ binding, sessionId: browserId, limitMs: LIMIT_MS }, (connection) =>
        capture(connection, visits, before),
      ),
    restore: (browserId, state) =>
      withConnection({ binding, sessionId: browserId, limitMs: LIMIT_MS }, (connection) => restore(connection, state)),
  };
}

async function capture(connection: CdpConnection, visits: Visits, before: ProfileState): Promise<Captured> {
  const endMs = Date.now() + CAPTURE_LIMIT_MS;
  const { cookies } = await connection.send("Storage.getCookies", {});
  const kept = cookies.map(toProfileCookie);
  const [tab, ...others] = await StorageTab.openAll(connection, visits.firstTabId);
  const visited = [...visits.origins, ...(await tab.history())];
  const known = before.origins.map(({ origin }) => origin);
  let origins: OriginState[] = [];
  const unread = new Set<string>();
  const partial: string[] = [];
  const noteUnread = (origin: string, reason: string): void => {
    logEvent({ event: "profile_origin_not_read", origin, reason });
    // The host of a cookie may be none that the session has visited.
    if (visited.includes(origin)) unread.add(origin);
  };
  const changed = visited.filter((origin) => known.includes(origin));
  const looked = originsOf([...changed, ...visited, ...known], kept, MAX_ORIGINS);
  for (const origin of looked) {
    const read = await tried(() => readOrigin(tab, origin), endMs);
    if (read.kind === "failed") noteUnread(origin, read.reason);
    else if (read.value.leftOut > 0) partial.push(origin);
    const earlier = before.origins.find((state) => state.origin === origin);
    const state = keptState(read, { earlier, isVisited: visited.includes(origin) });
    if (state !== undefined) origins.push(state);
  }
  origins.push(...before.origins.filter(({ origin }) => !looked.includes(origin)).slice(0, MAX_KEPT - origins.length));
  for (const other of others) {
    for (const origin of originsOf(await other.history(), [], MAX_ORIGINS)) {
      const read = await tried(() => readSessionStorage(other, origin), endMs);
      if (read.kind === "failed") noteUnread(origin, read.reason);
      else origins = addSessionStorage(origins, { origin, entries: read.value });
    }
  }
  return { state: { version: 1, cookies: kept, origins }, unread: [...unread], partial };
}

/**
 * Returns the state that the profile stores for an origin. The earlier state is retained when the origin could not be
 * read, and when it is empty although the session has not visited it: then it was not restored.
 */
function keptState(
  read: Attempt<ReadOrigin>,
  { earlier, isVisited }: { earlier: OriginState | undefined; isVisited: boolean },
): OriginState | undefined {
  if (read.kind === "failed") return earlier;
  if (!isEmpty(read.value)) return OriginState.parse(read.value);
  return isVisited ? undefined : earlier;
}

async function restore(connection: CdpConnection, { cookies, origins }: ProfileState): Promise<string[]> {
  const endMs = Date.now() + RESTORE_LIMIT_MS;
  await setCookies(connection, cookies);
  if (origins.length === 0) return [];
  const [tab] = await StorageTab.openAll(connection);
  const unwritten: string[] = [];
  for (const state of origins) {
    const { origin } = state;
    const written = await tried(() => writeOrigin(tab, state), endMs);
    if (written.kind === "done" && written.value === 0) continue;
    const reason = written.kind === "done" ? `${written.value} databases could not be written` : written.reason;
    logEvent({ event: "profile_origin_not_restored", origin, reason });
    unwritten.push(origin);
  }
  await tab.leave();
  return unwritten;
}

/**
 * Works on one origin, and retries once when that fails or takes too long. An abandoned try may still be running; the
 * scripts in the page therefore check which origin they run on.
 * @throws BrowserGoneError
 */
async function tried<T>(work: () => Promise<T>, endMs: number): Promise<Attempt<T>> {
  let reason = "The time for the whole profile was used up";
  for (const limitMs of TRY_LIMITS_MS) {
    const leftMs = endMs - Date.now();
    if (leftMs <= 0) break;
    const attempt = await within(attempted(work), Math.min(limitMs, leftMs), undefined);
    if (attempt?.kind === "done") return attempt;
    reason = attempt?.reason ?? `No answer within ${limitMs} ms`;
  }
  return { kind: "failed", reason };
}

async function attempted<T>(work: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { kind: "done", value: await work() };
  } catch (error) {
    if (error instanceof BrowserGoneError) throw error;
    return { kind: "failed", reason: String(error) };
  }
}

/**
 * @throws CdpError for an origin that the browser refuses, such as one that the service would not call; AppError for a
 * result of another form.
 */
async function readOrigin(tab: StorageTab, origin: string): Promise<ReadOrigin> {
  await tab.visit(origin);
  // A page may have replaced what the function calls.
  return { ...readStored(ReadOrigin, await tab.call(pageFunctions.readStorage, origin), "storage of a page"), origin };
}

/** Reads the session storage of a tab other than the first. @throws CdpError as `readOrigin` does. */
async function readSessionStorage(tab: StorageTab, origin: string): Promise<[string, string][]> {
  await tab.visit(origin);
  return readStored(Entries, await tab.call(pageFunctions.readSessionStorage, origin), "session storage of a page");
}

/** @returns the number of databases that could not be written. @throws CdpError as `readOrigin` does; ZodError for another result. */
async function writeOrigin(tab: StorageTab, state: OriginState): Promise<number> {
  await tab.visit(state.origin);
  // A page may have replaced what the function calls.
  return z.number().parse(await tab.call(pageFunctions.writeStorage, state));
}

function toProfileCookie(cookie: Protocol.Network.Cookie): ProfileCookie {
  const { name, value, domain, path, expires, httpOnly, secure, sameSite, partitionKey, session } = cookie;
  return {
    name,
    value,
    domain,
    path,
    httpOnly,
    secure,
    ...(session || expires < 0 ? {} : { expires }),
    ...(sameSite === undefined ? {} : { sameSite }),
    ...(partitionKey === undefined ? {} : { partitionKey }),
  };
}

function isEmpty({ localStorage, sessionStorage, databases }: OriginState): boolean {
  return localStorage.length === 0 && sessionStorage.length === 0 && databases.length === 0;
}
