import type { OriginState } from "../../core/sessions/profile.ts";

/**
 * Writes the local and session storage of the document's origin before the document's own scripts run. Keys that exist
 * keep their values: a page may have changed them since an earlier document of the load.
 */
export function restoreStorage(states: readonly Pick<OriginState, "origin" | "localStorage" | "sessionStorage">[]) {
  const state = states.find(({ origin }) => origin === window.origin);
  if (state === undefined) return;
  try {
    addMissing(localStorage, state.localStorage);
    addMissing(sessionStorage, state.sessionStorage);
  } catch {
    // A frame without access to storage, or one that is full.
  }
}

function addMissing(storage: Storage, entries: readonly (readonly [string, string])[]): void {
  for (const [key, value] of entries) {
    if (storage.getItem(key) === null) storage.setItem(key, value);
  }
}
