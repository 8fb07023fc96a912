import { expect, test } from "vitest";
import { createProviderPauses } from "../../../../src/storage/search/provider-pauses.ts";

const NOW = Date.UTC(2026, 5, 15);

/** A database whose reads are answered by hand. */
function slowDatabase() {
  const reads: ((rows: { provider: string; untilMs: number }[]) => void)[] = [];
  const read = () => new Promise((resolve) => void reads.push((results) => resolve({ results })));
  const prepare = (statement: string) => ({
    bind: () => ({ run: async () => (statement.startsWith("SELECT") ? await read() : { results: [] }) }),
  });
  return { reads, db: { prepare } as unknown as D1Database };
}

test("a pause that is set while the table is read is kept, and the later one of two counts", async () => {
  const { reads, db } = slowDatabase();
  const pauses = createProviderPauses(db);
  for (const nowMs of [NOW, NOW + 20_000]) {
    const listing = pauses.list(nowMs);
    await pauses.set("a", nowMs + 60_000);
    await pauses.set("b", nowMs + 60_000);
    reads.shift()?.([
      { provider: "a", untilMs: nowMs + 1_000 },
      { provider: "c", untilMs: nowMs + 2_000 },
    ]);
    const listed = { a: nowMs + 60_000, b: nowMs + 60_000, c: nowMs + 2_000 };
    expect(Object.fromEntries(await listing)).toEqual(listed);
    expect(Object.fromEntries(await pauses.list(nowMs))).toEqual(listed);
  }
});
