import { expect, test } from "vitest";
import type { SessionLife } from "../../../../src/core/sessions/browser-session.ts";
import { EMPTY_PROFILE } from "../../../../src/core/sessions/profile.ts";
import type { BrowserSessions, SessionSummary } from "../../../../src/ports/sessions/browser-session.ts";
import type { ProfileBrowser, ProfileStore } from "../../../../src/ports/sessions/profiles.ts";
import type { Recordings } from "../../../../src/ports/sessions/recordings.ts";
import { closeBrowser } from "../../../../src/services/sessions/close-browser.ts";
import type { Caller } from "../../../../src/services/deps.ts";

const ID = "00000000-03e8-7000-8000-000000000001";
const CALLER = { key: { id: "key", teamId: "team" } } as Caller;

/** One session, whose recording takes ten looks of others to be stored. */
function house({ isLost = false, hasProfile = false } = {}) {
  const done: string[] = [];
  const profile = hasProfile ? { profile: { name: "work", saveChanges: true } } : {};
  const life = { id: ID, teamId: "team", recordSession: true, ...profile } as SessionLife;
  const tokens = hasProfile ? { cdp: "c", view: "v", drive: "d" } : undefined;
  let [claims, looks] = [0, 0];
  let stored: (() => void) | undefined;
  const sessions = {
    find: async () => ({ life: { ...life }, tokens }),
    authorize: async () => ({ kind: "granted", scope: "cdp", browserSessionId: "browser" }),
    visits: async () => ({ origins: [], firstTabId: undefined }),
    // A caller that is lost leaves its claim, which ends with time.
    claimEnd: async () => claims++ === 0 || (isLost && looks > 5),
    close: async (): Promise<SessionSummary> => {
      const wasEnded = life.end !== undefined;
      life.end = { atMs: 1, reason: "deleted" };
      done.push(wasEnded ? "closed again" : "closed");
      return { durationMs: 1, credits: 2, wasEnded };
    },
  };
  const recordings = {
    finish: async () => {
      done.push("storing");
      await new Promise<void>((resolve) => (stored = resolve));
      done.push("stored");
    },
  };
  const deps = {
    // Nothing else of them is used here.
    browserSessions: sessions as unknown as BrowserSessions,
    recordings: recordings as unknown as Recordings,
    profiles: {
      read: async () => undefined,
      write: async () => (done.push("profile saved"), true),
      release: async () => void done.push("profile released"),
    } as unknown as ProfileStore,
    profileBrowser: {
      capture: async () => ({ state: EMPTY_PROFILE, unread: [], partial: [] }),
    } as unknown as ProfileBrowser,
    clock: { now: () => 1_000 },
    log: () => undefined,
    sleep: async () => {
      if (++looks === 10) stored?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  return { deps, done, store: () => stored?.() };
}

test("the profile of a session that is ended for its user is not saved, but its recording is", async () => {
  for (const savesProfile of [false, true]) {
    const { deps, done, store } = house({ hasProfile: true });
    const closing = closeBrowser(deps, CALLER, ID, { savesProfile });
    await expect.poll(() => done).toEqual(["storing"]);
    store();
    await closing;
    const saved = savesProfile ? ["profile saved"] : [];
    expect(done).toEqual(["storing", "stored", ...saved, "profile released", "closed"]);
  }
});

test("a session that two callers delete at once is ended when the first one has stored what is kept of it", async () => {
  const { deps, done } = house();
  const summaries = await Promise.all([closeBrowser(deps, CALLER, ID), closeBrowser(deps, CALLER, ID)]);
  expect(done).toEqual(["storing", "stored", "closed", "closed again"]);
  expect(summaries.map(({ wasEnded }) => wasEnded)).toEqual([false, true]);
});

test("a session whose first caller is lost is ended by the next one, once the claim has ended", async () => {
  const { deps, done, store } = house({ isLost: true });
  // Its recording is never stored.
  void closeBrowser(deps, CALLER, ID);
  await expect.poll(() => done).toEqual(["storing"]);
  const next = closeBrowser(deps, CALLER, ID);
  await expect.poll(() => done).toEqual(["storing", "storing"]);
  store();
  expect(await next).toMatchObject({ wasEnded: false });
});

test("a recording that cannot be finished is named in a warning", async () => {
  const { deps } = house();
  const recordings = { finish: () => Promise.reject(new Error("The store is away")) } as unknown as Recordings;
  expect(await closeBrowser({ ...deps, recordings }, CALLER, ID)).toMatchObject({
    warning: "The recording may lack its end: it could not be finished.",
  });
});
