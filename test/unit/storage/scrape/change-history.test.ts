import { describe, expect, test } from "vitest";
import { changeTracking } from "../../../../src/formats/change-tracking.ts";
import { createChangeHistory } from "../../../../src/storage/scrape/change-history.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";
import { contextFor, pageOf } from "../../formats/page.ts";

const PAGE = { teamId: "team", url: "https://harbour.example/log", tag: null };
const LONG = Array.from({ length: 6_000 }, (_, day) => `<p>Day ${day}: the ferry came in on time.</p>`);

function store() {
  const blobs = memoryBlobs();
  const history = createChangeHistory(nodeD1(), blobs);
  let nowMs = Date.UTC(2026, 0, 1);
  /** Scrapes a page that holds these paragraphs, a second after the last time. */
  const track = async (paragraphs: readonly string[], tag: string | null = null) => {
    const context = contextFor();
    nowMs += 1_000;
    context.history = {
      nowMs,
      find: (name) => history.find({ ...PAGE, tag: name }),
      save: (name, snapshot) => history.save({ ...PAGE, tag: name }, snapshot),
    };
    const page = await pageOf(`<main><h1>Log</h1>${paragraphs.join("")}</main>`, PAGE.url);
    const request = { type: "changeTracking" as const, modes: ["git-diff" as const], tag };
    const { changeTracking: tracked } = await changeTracking.derive(page, request, context);
    expect(context.warnings).toEqual([]);
    return tracked;
  };
  return { blobs, history, track, now: () => nowMs };
}

test("states of pages are objects while the database is nearly full, and rows again afterwards", async () => {
  const blobs = memoryBlobs();
  const room = { isNearlyFull: false };
  const history = createChangeHistory(nodeD1(), blobs, room);
  const save = async (url: string, text: string) =>
    await history.save({ ...PAGE, url }, { scrapedAtMs: 1, markdown: text });
  await save("https://a.example/", "before ".repeat(100));
  room.isNearlyFull = true;
  await save("https://b.example/", "nearly full ".repeat(100));
  expect(blobs.objects.size).toBe(1);
  room.isNearlyFull = false;
  await save("https://c.example/", "after ".repeat(100));
  expect(blobs.objects.size).toBe(1);
  for (const name of ["a", "b", "c"])
    expect(await history.find({ ...PAGE, url: `https://${name}.example/` })).toBeDefined();
});

test("a state of more than 4 kB in UTF-8 is an object", async () => {
  const { blobs, history } = store();
  for (const [name, markdown] of [
    ["short", "字".repeat(1_300)],
    ["long", "字".repeat(1_400)],
  ] as const) {
    const page = { ...PAGE, url: `https://a.example/${name}` };
    await history.save(page, { scrapedAtMs: 1, markdown });
    expect(await history.find(page)).toEqual({ scrapedAtMs: 1, markdown });
  }
  expect(blobs.objects.size).toBe(1);
});

test("of the pages of a team, those scraped last are kept", async () => {
  const blobs = memoryBlobs();
  const db = nodeD1();
  const history = createChangeHistory(db, blobs, undefined, 20);
  const pageAt = (number: number) => ({ ...PAGE, url: `https://a.example/${number}` });
  const other = { ...PAGE, teamId: "other" };
  await history.save(other, { scrapedAtMs: 0, markdown: "Other" });
  const save = (number: number, scrapedAtMs: number) =>
    history.save(pageAt(number), { scrapedAtMs, markdown: number % 2 === 0 ? "Short" : "字".repeat(2_000) });
  for (let number = 1; number <= 100; number++) await save(number, number);
  await save(1, 101);
  for (let number = 102; number <= 200; number++) await save(number, number);
  const kept = await Promise.all(
    Array.from({ length: 200 }, async (_, place) => await history.find(pageAt(place + 1))),
  );
  const count = kept.filter((state) => state !== undefined).length;
  expect(count).toBeGreaterThanOrEqual(20);
  expect(count).toBeLessThanOrEqual(70);
  expect(kept.slice(-20).every((state) => state !== undefined)).toBe(true);
  expect(blobs.objects.size).toBe(kept.filter((state) => (state?.markdown.length ?? 0) > 100).length);
  expect(await history.find(other)).toBeDefined();
  const { results } = await db.prepare("SELECT count(*) AS count FROM tracked_pages").run();
  expect(results).toEqual([{ count: count + 1 }]);
  expect(await history.purge(1_000, 1_000)).toBe(count + 1);
  expect((await db.prepare("SELECT page FROM tracked_pages").run()).results).toEqual([]);
});

describe("a page whose text is too long for a row", () => {
  test("is kept as an object, and compared as any other", async () => {
    const { blobs, track } = store();
    expect((await track(LONG))?.changeStatus).toBe("new");
    expect([...blobs.objects.keys()]).toEqual([expect.stringMatching(/^history\/[0-9a-f]{64}\/\d+\.json$/)]);
    expect((await track(LONG))?.changeStatus).toBe("same");
    const changed = await track(LONG.with(3_000, "<p>Day 3000: the ferry came in late.</p>"));
    expect(changed).toMatchObject({ changeStatus: "changed", previousScrapeAt: "2026-01-01T00:00:02.000Z" });
    expect(changed?.diff?.text).toContain("-Day 3000: the ferry came in on time.\n+Day 3000: the ferry came in late.");
    expect(changed?.diff?.json.files[0]?.chunks).toHaveLength(1);
    expect(blobs.objects.size, "one state is stored").toBe(1);
  });

  test("keeps its last state when a new one cannot be recorded", async () => {
    const db = nodeD1();
    const batch = db.batch.bind(db);
    const history = createChangeHistory(db, memoryBlobs());
    const [first, second] = ["first ", "second "].map((word, index) => ({
      scrapedAtMs: index,
      markdown: word.repeat(2_000),
    }));
    await history.save(PAGE, first ?? expect.unreachable());
    db.batch = () => Promise.reject(new Error("D1_ERROR: overloaded"));
    await expect(history.save(PAGE, second ?? expect.unreachable())).rejects.toThrow("overloaded");
    expect(await history.find(PAGE)).toEqual(first);
    db.batch = batch;
    await history.save(PAGE, second ?? expect.unreachable());
    expect(await history.find(PAGE)).toEqual(second);
  });

  test("has its new state also when the object of the last one cannot be deleted", async () => {
    const blobs = memoryBlobs();
    const history = createChangeHistory(nodeD1(), { ...blobs, delete: () => Promise.reject(new Error("10001")) });
    for (const scrapedAtMs of [1, 2])
      await history.save(PAGE, { scrapedAtMs, markdown: `${scrapedAtMs} `.repeat(4_000) });
    expect((await history.find(PAGE))?.scrapedAtMs).toBe(2);
  });

  test("has the latest of states that are saved at once", async () => {
    const { blobs, history } = store();
    const states = [3, 1, 2].map((scrapedAtMs) => ({ scrapedAtMs, markdown: `${scrapedAtMs} `.repeat(4_000) }));
    await Promise.all(states.map((state) => history.save(PAGE, state)));
    expect(await history.find(PAGE)).toEqual(states[0]);
    expect(blobs.objects.size).toBe(1);
  });

  test("that becomes short, and long again, is compared with its last state", async () => {
    const { track } = store();
    const short = LONG.slice(0, 3);
    const states = [];
    for (const paragraphs of [LONG, short, short, LONG, LONG]) states.push((await track(paragraphs))?.changeStatus);
    expect(states).toEqual(["new", "changed", "same", "changed", "same"]);
  });

  test("has a state of its own under each tag", async () => {
    const { blobs, track } = store();
    await track(LONG, "daily");
    expect((await track(LONG, "weekly"))?.changeStatus).toBe("new");
    expect(blobs.objects.size).toBe(2);
  });

  test("is forgotten with its object", async () => {
    const { blobs, history, track, now } = store();
    await track(LONG);
    await track(LONG.slice(0, 3), "short");
    expect(await history.purge(now() + 1, 10)).toBe(2);
    expect(blobs.objects.size).toBe(0);
    expect((await track(LONG))?.changeStatus).toBe("new");
  });

  test("is compressed in turns; one that an earlier version wrote is read too", async () => {
    const { blobs, history } = store();
    const markdown = Array.from({ length: 400_000 }, (_, word) => `word${(word * 7919) % 20_011}`).join(" ");
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await history.save(PAGE, { scrapedAtMs: 1, markdown });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
    const [key = ""] = blobs.objects.keys();
    expect((await blobs.get(key))?.bytes.byteLength).toBeLessThan(markdown.length / 2);
    expect((await history.find(PAGE))?.markdown === markdown).toBe(true);
    await blobs.delete([key]);
    const former = key.replace(/\/\d+\.json$/, ".json");
    await blobs.put(former, JSON.stringify({ scrapedAtMs: 1, markdown: "as earlier versions wrote it" }));
    expect(await history.find(PAGE)).toEqual({ scrapedAtMs: 1, markdown: "as earlier versions wrote it" });
    await history.save(PAGE, { scrapedAtMs: 2, markdown });
    expect(blobs.objects.has(former)).toBe(false);
  });

  test.each(["a line\nand another\n", "half of a pair \ud83d", "🕷"])("comes back as it was: %j", async (piece) => {
    const { history } = store();
    const extracted = { optionsHash: "1", value: { text: "x\ny" } };
    const state = { scrapedAtMs: 1, markdown: piece.repeat(60_000), extracted };
    const takenBy = { work: "w", before: { scrapedAtMs: 0, markdown: piece.repeat(50_000) } };
    await history.save(PAGE, { ...state, takenBy });
    expect(await history.find(PAGE)).toEqual({ ...state, takenBy });
  });
});
