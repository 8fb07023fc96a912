import { describe, expect, test } from "vitest";
import type { ChangeHistory, TrackedPage } from "../../src/ports/storage/change-history.ts";

const somePage = (fields: Partial<TrackedPage> = {}): TrackedPage => ({
  teamId: crypto.randomUUID(),
  url: "https://site.example/",
  tag: null,
  ...fields,
});

/** Requirements of every change history. */
export function changeHistoryContract(name: string, makeHistory: () => ChangeHistory): void {
  describe(`${name} as a change history`, () => {
    test("returns the last state of a page, short or long", async () => {
      const history = makeHistory();
      const page = somePage();
      expect(await history.find(page)).toBeUndefined();
      const first = { scrapedAtMs: 10_000, markdown: "first" };
      await history.save(page, first);
      expect(await history.find(page)).toEqual(first);
      const second = {
        scrapedAtMs: 20_000,
        markdown: "x".repeat(150_000),
        extracted: { optionsHash: "hash", value: { price: 3 } },
        takenBy: { work: "work", before: first },
      };
      await history.save(page, second);
      expect(await history.find(page)).toEqual(second);
    });

    test("keeps the latest state of a page when an earlier one is saved after it, short or long", async () => {
      const history = makeHistory();
      for (const length of [10, 150_000]) {
        const page = somePage();
        const latest = { scrapedAtMs: 20_000, markdown: "y".repeat(length) };
        await history.save(page, latest);
        for (const earlier of [10, 150_000])
          await history.save(page, { scrapedAtMs: 10_000, markdown: "x".repeat(earlier) });
        expect(await history.find(page)).toEqual(latest);
      }
    });

    test("separates teams, URLs and tags", async () => {
      const history = makeHistory();
      const page = somePage();
      const others = [
        somePage({ url: page.url }),
        { ...page, url: `${page.url}b` },
        { ...page, tag: "daily" },
        { ...page, tag: "" },
      ];
      await history.save(page, { scrapedAtMs: 10_000, markdown: "own" });
      for (const other of others) expect(await history.find(other)).toBeUndefined();
    });

    test("does not change with the object that was saved", async () => {
      const history = makeHistory();
      const page = somePage();
      const snapshot = { scrapedAtMs: 10_000, markdown: "as saved" };
      await history.save(page, snapshot);
      snapshot.markdown = "changed";
      expect((await history.find(page))?.markdown).toBe("as saved");
    });

    test("deletes states that are older than a moment, up to a limit", async () => {
      const history = makeHistory();
      const pages = [somePage(), somePage(), somePage(), somePage()];
      for (const [index, page] of pages.entries()) {
        await history.save(page, { scrapedAtMs: index, markdown: index === 1 ? "x".repeat(150_000) : "short" });
      }
      expect(await history.purge(3, 2)).toBe(2);
      expect(await history.purge(3, 2)).toBe(1);
      const left = await Promise.all(pages.map((page) => history.find(page)));
      expect(left.map((found) => found !== undefined)).toEqual([false, false, false, true]);
    });
  });
}
