import { createStore } from "../parts/store.ts";
import { keep, readStored } from "../parts/kept.ts";
import { keepSampleUrl } from "./sample.ts";

/** The keys that this browser is signed in with. They are sent to this service only, as bearer tokens. */
export interface Keys {
  /** Empty if the service does not require a key. */
  key: string;
  /** A key with the admin scope; undefined if none was entered. */
  adminKey: string | undefined;
}

const NAME = "keys";
const KEY = /^fc-[0-9a-f]{32}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const keys = createStore<Keys | undefined>(
  readStored<Keys | undefined>(NAME, undefined, sessionStorage) ?? readStored<Keys | undefined>(NAME, undefined),
);

export function isKey(text: string): boolean {
  return KEY.test(text.trim());
}

/** Signs in for this tab or, if `isRemembered`, for this browser. */
export function signIn(next: Keys, isRemembered: boolean): void {
  keep(NAME, next, sessionStorage);
  keep(NAME, isRemembered ? next : undefined);
  keys.set(next);
}

export function setAdminKey(adminKey: string): void {
  const current = keys.get();
  if (current !== undefined) signIn({ ...current, adminKey }, readStored<unknown>(NAME, undefined) !== undefined);
}

export function signOut(): void {
  keep(NAME, undefined, sessionStorage);
  keep(NAME, undefined);
  keys.set(undefined);
}

/**
 * Signs in with `#key=fc-…` (and `&admin=fc-…`), the URL that `npm start` prints, and removes the key from the URL and
 * the history. A fragment is not part of any request.
 */
export function takeKeysFromAddress(): void {
  const given = new URLSearchParams(location.hash.replace(/^#\/?/, ""));
  const key = given.get("key")?.trim();
  if (key === undefined || !isKey(key)) return;
  const adminKey = given.get("admin")?.trim();
  keepSampleUrl(given.get("try"));
  history.replaceState(null, "", `${location.pathname}#/playground`);
  signIn({ key, adminKey: adminKey !== undefined && isKey(adminKey) ? adminKey : undefined }, false);
}
