import { expect, test, vi } from "vitest";
import type { Owner } from "../../../../src/core/fair-order.ts";
import type { LoadedPage } from "../../../../src/core/scrape/page.ts";
import { FairAdmission } from "../../../../src/core/waits/fair-admission.ts";
import { FairConversions, withFairConversions } from "../../../../src/engines/fair-conversions.ts";
import type { Engine, PageRequest } from "../../../../src/engines/engine.ts";
import { HeldBytes } from "../../../../src/core/waits/held-bytes.ts";

const busy: Owner = { teamId: "busy", keyId: "a" };
const quiet: Owner = { teamId: "quiet", keyId: "b" };

/** A page whose turn has come begins at the next timer. */
const settle = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 20));

test("a team whose pages wait begins no others, and another team does", async () => {
  const waiting = new HeldBytes();
  const admission = new FairAdmission({ isProcessorBusy: () => false, hasRoom: (owner) => waiting.hasRoom(owner) });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const load = (owner: Owner, bytes: number): Promise<void> =>
    admission.run(owner, async () => {
      begun.push(owner.teamId);
      const release = waiting.hold(owner, bytes);
      await new Promise<void>((resolve) => ends.push(resolve));
      release();
    });
  for (let page = 0; page < 20; page++) {
    void load(busy, 10_000_000);
    await settle();
  }
  // The third page exceeds the limit.
  expect(begun).toEqual(["busy", "busy", "busy"]);
  void load(quiet, 1_000);
  await settle();
  expect(begun.slice(3)).toEqual(["quiet"]);
  ends.shift()?.();
  await settle();
  expect(begun.length).toBeGreaterThan(4);
  expect(new Set(begun.slice(4))).toEqual(new Set(["busy"]));
});

test("teams share a limit, beyond which a team that has pages waiting begins no others", () => {
  const waiting = new HeldBytes();
  const releases = ["a", "b", "c", "d"].map((teamId) => waiting.hold({ teamId, keyId: "k" }, 17_000_000));
  expect([waiting.hasRoom({ teamId: "a", keyId: "k" }), waiting.hasRoom(quiet)]).toEqual([false, true]);
  releases[3]?.();
  releases[3]?.();
  expect(waiting.hasRoom({ teamId: "a", keyId: "k" })).toBe(true);
});

test("pages of requests that were cancelled are forgotten", () => {
  let nowMs = 0;
  const waiting = new HeldBytes({ nowMs: () => nowMs });
  waiting.hold(busy, 50_000_000);
  expect(waiting.hasRoom(busy)).toBe(false);
  nowMs = 300_000;
  expect(waiting.hasRoom(busy)).toBe(true);
});

test("a page whose client leaves no longer counts", () => {
  const waiting = new HeldBytes();
  const client = new AbortController();
  const release = waiting.hold(busy, 50_000_000, client.signal);
  expect(waiting.hasRoom(busy)).toBe(false);
  client.abort();
  expect(waiting.hasRoom(busy)).toBe(true);
  waiting.hold(busy, 50_000_000, client.signal);
  expect(waiting.hasRoom(busy)).toBe(true);
  waiting.hold(busy, 30_000_000);
  release();
  expect(waiting.hasRoom(busy)).toBe(false);
});

test("a loaded page counts until its turn to be converted has come", async () => {
  const waiting = new HeldBytes();
  const conversions = new FairConversions();
  const page = { engine: "fetch" as const, url: "https://a.example/", statusCode: 200, headers: {}, warnings: [] };
  const engine: Engine = {
    engine: "fetch",
    provides: new Set(),
    load: async () => ({ kind: "loaded", page: { ...page, contentType: "text/html", body: "x".repeat(25_000_000) } }),
  };
  await conversions.admit(quiet);
  const loading = withFairConversions(engine, conversions, waiting).load({ owner: busy } as PageRequest);
  await Promise.resolve();
  await Promise.resolve();
  expect(waiting.hasRoom(busy)).toBe(false);
  await loading;
  expect(waiting.hasRoom(busy)).toBe(true);
});

test("a page that waits counts with the files and texts that its actions made", async () => {
  const file = { bytes: new Uint8Array(10), contentType: "image/png" };
  const page: LoadedPage = {
    engine: "browser",
    url: "https://example.com/",
    statusCode: 200,
    headers: {},
    contentType: "text/html",
    body: "x".repeat(1_000),
    screenshot: file,
    actions: {
      screenshots: [file],
      pdfs: [file],
      scrapes: [{ url: "", html: "y".repeat(500) }],
      javascriptReturns: [],
    },
    warnings: [],
  };
  const waiting = new HeldBytes();
  const hold = vi.spyOn(waiting, "hold");
  // Waiting for a conversion uses no more of an engine and of a request.
  const engine = { load: async () => ({ kind: "loaded", page }) } as unknown as Engine;
  const owner = { teamId: "team", keyId: "key" };
  await withFairConversions(engine, new FairConversions(), waiting).load({ owner } as PageRequest);
  expect(hold.mock.calls[0]?.slice(0, 2)).toEqual([owner, 1_530]);
});

test("what is about to be read waits for room, and teams take turns", async () => {
  const memory = new HeldBytes({ ofTeam: 100, inAll: 150 });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const read = async (name: string, owner: Owner, bytes: number): Promise<void> => {
    const release = await memory.take(owner, bytes);
    begun.push(name);
    ends.push(release);
  };
  void read("large", busy, 120);
  void read("second", busy, 60);
  void read("third", busy, 30);
  void read("other", quiet, 60);
  await settle();
  // A team that holds nothing begins, and what waits in it comes in order.
  expect(begun).toEqual(["large", "other"]);
  void read("other second", quiet, 40);
  ends.shift()?.();
  await settle();
  expect(begun).toEqual(["large", "other", "second", "third"]);
  expect([memory.bytesOf("busy"), memory.bytesOf("quiet")]).toEqual([90, 60]);
  expect(memory.tryTake(quiet, 1)).toBeUndefined();
  ends.splice(1, 1)[0]?.();
  await settle();
  expect(begun.at(-1)).toBe("other second");
});

test("what fits passes a first waiter of its team that is larger than the limit, some times, and no other one", async () => {
  let nowMs = 0;
  const memory = new HeldBytes({ ofTeam: 100, inAll: 200, nowMs: () => nowMs });
  const small = await memory.take(busy, 10);
  const client = new AbortController();
  const large = memory.take(busy, 150, { left: client.signal });
  expect(memory.tryTake(busy, 1)).toBeUndefined();
  nowMs = 1_000;
  memory.tryTake(busy, 10)?.();
  let passes = 1;
  for (let release = memory.tryTake(busy, 10); release !== undefined; release = memory.tryTake(busy, 10)) {
    release();
    passes++;
  }
  expect(passes).toBe(100);
  small();
  const release = await large;
  expect(memory.bytesOf("busy")).toBe(150);
  release();
  const held = await memory.take(busy, 80);
  void memory.take(busy, 50, { left: client.signal }).catch(() => undefined);
  nowMs = 9_000;
  // The first one comes next.
  expect(memory.tryTake(busy, 10)).toBeUndefined();
  client.abort();
  held();
});

test("a wait for room ends at its limit and when its client leaves, and takes none", async () => {
  const memory = new HeldBytes({ ofTeam: 100, inAll: 100 });
  const release = await memory.take(busy, 100);
  const client = new AbortController();
  const late = memory.take(busy, 50, { deadlineMs: Date.now() + 30 });
  const gone = memory.take(busy, 50, { left: client.signal });
  const kept = memory.take(busy, 70);
  client.abort();
  const ends = await Promise.allSettled([late, gone]);
  expect(ends).toMatchObject(["1", "2"].map(() => ({ status: "rejected", reason: { code: "SCRAPE_TIMEOUT" } })));
  release();
  release();
  (await kept)();
  expect(memory.bytesOf("busy")).toBe(0);
});

test("teams that hold nothing begin until the sum is twice the limit", () => {
  const memory = new HeldBytes({ ofTeam: 100, inAll: 100 });
  const teams = ["a", "b", "c"].map((teamId) => memory.tryTake({ teamId, keyId: "k" }, 100));
  expect(teams.map((release) => release !== undefined)).toEqual([true, true, false]);
});

test("teams that leave the rest to others hold no more than is free, and each its first one", () => {
  const open = new HeldBytes({ ofTeam: 8, inAll: 16, leavesRest: true });
  const heldBy = (teamId: string): number => {
    while (open.tryTake({ teamId, keyId: "k" }, 1) !== undefined);
    return open.bytesOf(teamId);
  };
  expect(["a", "b", "c", "d", "e", "f"].map(heldBy)).toEqual([8, 4, 2, 1, 1, 1]);
});
