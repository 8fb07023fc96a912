import { createStore } from "../parts/store.ts";
import { readStored, writeStored } from "../parts/browser-storage.ts";
import { isKey } from "./key-format.ts";
import type { Keys } from "./key-format.ts";
import { keepSampleUrl } from "./sample.ts";

export { isKey } from "./key-format.ts";
export type { Keys } from "./key-format.ts";

const NAME = "keys";

export const keys = createStore<Keys | undefined>(
  readStored<Keys | undefined>(NAME, undefined, sessionStorage) ?? readStored<Keys | undefined>(NAME, undefined),
);

/** Signs in for this tab or, if `isRemembered`, for this browser. */
export function signIn(next: Keys, isRemembered: boolean): void {
  writeStored(NAME, next, sessionStorage);
  writeStored(NAME, isRemembered ? next : undefined);
  keys.set(next);
}

/** Signs in with the keys of another tab, for this tab. */
export function adoptKeys(next: Keys): void {
  writeStored(NAME, next, sessionStorage);
  keys.set(next);
}

export function setAdminKey(adminKey: string): void {
  const current = keys.get();
  if (current !== undefined) signIn({ ...current, adminKey }, readStored<unknown>(NAME, undefined) !== undefined);
}

export function signOut(): void {
  writeStored(NAME, undefined, sessionStorage);
  writeStored(NAME, undefined);
  keys.set(undefined);
}

const OTHER_KEY =
  "This link signs you in with another key than the one in use. Requests, results and credits will be those of the key " +
  "in the link. Sign in with it?";

/**
 * Signs in with `#key=fc-…` (and `&admin=fc-…`), the URL that `npm start` prints, and removes the key from the URL and
 * the history. A fragment is not part of any request. A link of another site could replace the key in use unnoticed, so
 * that is asked first.
 */
export function takeKeysFromAddress(): void {
  const parts = new URLSearchParams(location.hash.replace(/^#\/?/, ""));
  const key = parts.get("key")?.trim();
  if (key === undefined || !isKey(key)) return;
  const adminKey = parts.get("admin")?.trim();
  keepSampleUrl(parts.get("try"));
  history.replaceState(null, "", `${location.pathname}#/playground`);
  const current = keys.get();
  const given = adminKey !== undefined && isKey(adminKey) ? adminKey : undefined;
  if (current?.key === key) {
    // The link adds its admin key; what the sign-in has, and where it is stored, stays.
    if (given !== undefined) setAdminKey(given);
    return;
  }
  if (current !== undefined && !confirm(OTHER_KEY)) return;
  signIn({ key, adminKey: given }, false);
}
