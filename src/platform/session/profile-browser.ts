import type { Protocol } from "devtools-protocol";
import {
  addSessionStorage,
  originsOf,
  type OriginState,
  type ProfileCookie,
  type ProfileState,
} from "../../core/profile.ts";
import type { Visits } from "../../ports/browser-session.ts";
import type { ProfileBrowser } from "../../ports/profiles.ts";
import { within } from "../browser/abortable.ts";
import { CdpConnection, CdpError } from "../browser/cdp-connection.ts";
import { READ_SESSION_STORAGE_SCRIPT, READ_STORAGE_SCRIPT, writeStorageScript } from "./profile-scripts.ts";
import { StorageTab } from "./storage-tab.ts";

const MAX_ORIGINS = 100;
const ORIGIN_LIMIT_MS = 4_000;
const CAPTURE_LIMIT_MS = 25_000;
const RESTORE_LIMIT_MS = 15_000;

/** Reads and writes the state of a browser over a connection of its own. Only the browser's default context counts. */
export function createProfileBrowser(binding: Fetcher): ProfileBrowser {
  return {
    capture: (browserId, visits) => connected(binding, browserId, (connection) => capture(connection, visits)),
    restore: (browserId, state) => connected(binding, browserId, (connection) => restore(connection, state)),
  };
}

async function connected<T>(
  binding: Fetcher,
  browserId: string,
  work: (connection: CdpConnection) => Promise<T>,
): Promise<T> {
  const connection = await CdpConnection.open(binding, browserId);
  try {
    return await work(connection);
  } finally {
    connection.close();
  }
}

async function capture(connection: CdpConnection, visits: Visits): Promise<ProfileState> {
  const endMs = Date.now() + CAPTURE_LIMIT_MS;
  const { cookies } = await connection.send("Storage.getCookies", {});
  const kept = cookies.map(toProfileCookie);
  const [tab, ...others] = await StorageTab.openAll(connection, visits.firstTabId);
  let origins: OriginState[] = [];
  for (const origin of originsOf([...visits.origins, ...(await tab.history())], kept, MAX_ORIGINS)) {
    if (Date.now() > endMs) break;
    const state = await within(readOrigin(tab, origin), ORIGIN_LIMIT_MS, undefined);
    if (state !== undefined && !isEmpty(state)) origins.push(state);
  }
  for (const other of others) {
    for (const origin of originsOf(await other.history(), [], MAX_ORIGINS)) {
      if (Date.now() > endMs) break;
      const entries = await within(readSessionStorage(other, origin), ORIGIN_LIMIT_MS, undefined);
      origins = addSessionStorage(origins, { origin, entries: entries ?? [] });
    }
  }
  return { version: 1, cookies: kept, origins };
}

async function restore(connection: CdpConnection, { cookies, origins }: ProfileState): Promise<void> {
  const endMs = Date.now() + RESTORE_LIMIT_MS;
  await setCookies(connection, cookies);
  if (origins.length === 0) return;
  const [tab] = await StorageTab.openAll(connection);
  for (const { origin, ...state } of origins) {
    if (Date.now() > endMs) break;
    await within(writeOrigin(tab, origin, state), ORIGIN_LIMIT_MS, undefined);
  }
  await tab.leave();
}

/** An origin that cannot be visited, such as one that the service would not call, keeps nothing. */
async function readOrigin(tab: StorageTab, origin: string): Promise<OriginState | undefined> {
  if (!(await tab.visit(origin))) return undefined;
  const text = await tab.evaluate(READ_STORAGE_SCRIPT);
  // The program says what it returns.
  return typeof text === "string" ? { origin, ...(JSON.parse(text) as Omit<OriginState, "origin">) } : undefined;
}

/** What a tab besides the first keeps by itself. */
async function readSessionStorage(tab: StorageTab, origin: string): Promise<[string, string][]> {
  if (!(await tab.visit(origin))) return [];
  // The program says what it returns.
  return JSON.parse(String(await tab.evaluate(READ_SESSION_STORAGE_SCRIPT))) as [string, string][];
}

async function writeOrigin(tab: StorageTab, origin: string, state: Omit<OriginState, "origin">): Promise<void> {
  if (await tab.visit(origin)) await tab.evaluate(writeStorageScript(state));
}

/** One cookie that the browser does not take any more must not keep the others out. */
async function setCookies(connection: CdpConnection, cookies: readonly ProfileCookie[]): Promise<void> {
  try {
    await connection.send("Storage.setCookies", { cookies: cookies.map(toCookieParam) });
  } catch (error) {
    if (!(error instanceof CdpError)) throw error;
    for (const cookie of cookies) {
      await connection.send("Storage.setCookies", { cookies: [toCookieParam(cookie)] }).catch(() => undefined);
    }
  }
}

/** The partition's key goes back in the form that it came in, which the protocol's types know one of. */
function toCookieParam(cookie: ProfileCookie): Protocol.Network.CookieParam {
  return cookie as Protocol.Network.CookieParam;
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
