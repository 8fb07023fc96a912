import { describe, expect, test } from "vitest";
import type { SessionLife } from "../../../../src/core/sessions/browser-session.ts";
import type { ProfileState } from "../../../../src/core/sessions/profile.ts";
import type { BrowserSessions } from "../../../../src/ports/sessions/browser-session.ts";
import type { ProfileBrowser, ProfileStore } from "../../../../src/ports/sessions/profiles.ts";
import {
  claimProfile,
  restoreProfile,
  saveProfile,
  type ProfileDeps,
} from "../../../../src/services/sessions/session-profile.ts";

const TOKENS = { cdp: "c", view: "v", drive: "d" };
const STATE: ProfileState = {
  version: 1,
  cookies: [],
  origins: [{ origin: "https://a.example", localStorage: [["k", "v"]], sessionStorage: [], databases: [] }],
};

function life(id: string, more: Partial<SessionLife> = {}): SessionLife {
  return {
    id,
    teamId: "team",
    keyId: "key",
    monthlyCredits: undefined,
    ttlMs: 60_000,
    activityTtlMs: 60_000,
    streamWebView: true,
    recordSession: false,
    profile: { name: "work", saveChanges: true },
    ownHosts: [],
    createdAtMs: 0,
    expiresAtMs: 60_000,
    lastActivityMs: 0,
    running: 0,
    isPrompted: false,
    ...more,
  };
}

const opened = (id: string, more: Partial<SessionLife> = {}) => ({
  kind: "opened" as const,
  view: { life: life(id, more), tokens: TOKENS },
});

/** Profiles in memory, and a browser that remembers what it was asked. */
function profileDeps(lives: SessionLife[] = [], failing: readonly string[] = [], inPart: readonly string[] = []) {
  const writers = new Map<string, string>();
  const saved = new Map<string, ProfileState>();
  const restored: ProfileState[] = [];
  const captured: { visited: readonly string[]; before: ProfileState }[] = [];
  const profiles: ProfileStore = {
    async claim({ name }, { sessionId }) {
      const heldBy = writers.get(name);
      if (heldBy !== undefined && heldBy !== sessionId) return { heldBy };
      writers.set(name, sessionId);
      return undefined;
    },
    async release({ name }, sessionId) {
      if (writers.get(name) === sessionId) writers.delete(name);
    },
    read: async ({ name }) => saved.get(name),
    async write({ name }, { sessionId, state }) {
      if (writers.get(name) !== sessionId) return false;
      saved.set(name, state);
      return true;
    },
    purge: async () => 0,
  };
  const profileBrowser: ProfileBrowser = {
    async capture(_browserId, { origins, firstTabId }, before) {
      expect(firstTabId).toBe("first tab");
      captured.push({ visited: origins, before });
      return { state: STATE, unread: failing, partial: inPart };
    },
    async restore(_browserId, state) {
      restored.push(state);
      return failing;
    },
  };
  const sessions: Pick<BrowserSessions, "find" | "authorize" | "visits"> = {
    async find(id) {
      const found = lives.find((one) => one.id === id);
      return found === undefined ? undefined : { life: found, tokens: undefined };
    },
    authorize: async () => ({ kind: "granted", scope: "cdp", browserSessionId: "browser" }),
    visits: async () => ({ origins: ["https://b.example"], firstTabId: "first tab" }),
  };
  const deps: ProfileDeps = {
    profiles,
    profileBrowser,
    // Nothing else of it is used here.
    browserSessions: sessions as BrowserSessions,
    clock: { now: () => 1000 },
    log: () => undefined,
  };
  return { deps, saved, restored, captured, writers };
}

describe("a profile", () => {
  test("is written by one session at a time", async () => {
    const { deps } = profileDeps([life("one")]);
    await claimProfile(deps, life("one"));
    await expect(claimProfile(deps, life("two"))).rejects.toMatchObject({ code: "PROFILE_LOCKED" });
    await saveProfile(deps, { life: life("one"), tokens: TOKENS });
    await claimProfile(deps, life("two"));
  });

  test("is held for a session that is being opened, for two minutes", async () => {
    const { deps } = profileDeps();
    const opening = life("00000000-03e8-7000-8000-000000000001");
    await claimProfile(deps, opening);
    await expect(claimProfile(deps, life("two"))).rejects.toMatchObject({ code: "PROFILE_LOCKED" });
    await claimProfile({ ...deps, clock: { now: () => 121_000 } }, life("two"));
  });

  test("is free again when the session that had it ended without saving", async () => {
    const ended = life("one", { end: { atMs: 1, reason: "idle" } });
    for (const lives of [[ended], []]) {
      const { deps, writers } = profileDeps(lives);
      await claimProfile(deps, life("one"));
      await claimProfile(deps, life("two"));
      expect(writers.get("work")).toBe("two");
    }
  });

  test("may be used by many that do not save", async () => {
    const { deps, writers } = profileDeps([life("one")]);
    await claimProfile(deps, life("one"));
    const reader = life("two", { profile: { name: "work", saveChanges: false } });
    await claimProfile(deps, reader);
    await saveProfile(deps, { life: reader, tokens: TOKENS });
    expect(writers.get("work")).toBe("one");
  });

  test("is refused where nothing could encrypt it", async () => {
    const { deps } = profileDeps();
    await expect(claimProfile({ ...deps, profiles: undefined }, life("one"))).rejects.toMatchObject({
      code: "PROFILES_NOT_CONFIGURED",
    });
    await claimProfile({ ...deps, profiles: undefined }, life("one", { profile: undefined }));
  });

  test("is saved with what was visited and what it had before, and given to the next session", async () => {
    const { deps, captured, saved, restored } = profileDeps();
    await claimProfile(deps, life("one"));
    await restoreProfile(deps, opened("one"));
    expect(restored).toEqual([]);
    saved.set("work", STATE);
    await saveProfile(deps, { life: life("one"), tokens: TOKENS });
    expect(captured).toEqual([{ visited: ["https://b.example"], before: STATE }]);
    await restoreProfile(deps, opened("two"));
    expect(restored).toEqual([STATE]);
  });

  test("says of which origins it was saved in part", async () => {
    const { deps, saved } = profileDeps([], [], ["https://b.example"]);
    await claimProfile(deps, life("one"));
    expect(await saveProfile(deps, { life: life("one"), tokens: TOKENS })).toBe(
      "The profile's storage of https://b.example is saved without the records of databases that are beyond 20 MB or cannot be stored.",
    );
    expect(saved.get("work")).toBe(STATE);
  });

  test("says what of it was not saved, and not restored", async () => {
    const { deps, saved } = profileDeps([], ["https://b.example", "https://c.example"]);
    await claimProfile(deps, life("one"));
    expect(await saveProfile(deps, { life: life("one"), tokens: TOKENS })).toBe(
      "The profile's storage of https://b.example and of 1 more could not be read in time, and stays as it was before.",
    );
    expect(saved.get("work")).toBe(STATE);
    expect(await restoreProfile(deps, opened("two"))).toContain("https://b.example and of 1 more was not restored");
    expect(await saveProfile(deps, { life: life("two"), tokens: TOKENS })).toBe(
      "The profile was not saved: another session writes it.",
    );
    const whole = profileDeps();
    await claimProfile(whole.deps, life("one"));
    expect(await saveProfile(whole.deps, { life: life("one"), tokens: TOKENS })).toBeUndefined();
    expect(await restoreProfile(whole.deps, opened("two"))).toBeUndefined();
  });

  test("is given back even when the browser cannot be read any more", async () => {
    const { deps, writers } = profileDeps();
    await claimProfile(deps, life("one"));
    const broken = {
      ...deps,
      profileBrowser: { capture: () => Promise.reject(new Error("gone")), restore: async () => [] },
    };
    await expect(saveProfile(broken, { life: life("one"), tokens: TOKENS })).rejects.toThrow("gone");
    expect(writers.size).toBe(0);
  });
});
