import { afterEach, expect, test, vi } from "vitest";
import { PageStore } from "../../../src/platform/scrape/page-store.ts";
import { SearchIndex } from "../../../src/platform/search/search-index.ts";
import { PageShard } from "../../../src/storage/scrape/page-shard.ts";
import { IndexShard } from "../../../src/storage/search/index-shard.ts";

vi.mock("cloudflare:workers", () => ({
  DurableObject: class {
    readonly ctx: unknown;
    readonly env: unknown;

    constructor(ctx: unknown, env: unknown) {
      this.ctx = ctx;
      this.env = env;
    }
  },
}));

afterEach(() => vi.restoreAllMocks());

test.each([
  { of: "a page store", Store: PageStore, Shard: PageShard },
  { of: "a search index", Store: SearchIndex, Shard: IndexShard },
])("the alarm of $of is set again after a failure, and for the next expiry afterwards", async ({ Store, Shard }) => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  const nextExpiryMs = Date.now() + 3_600_000;
  vi.spyOn(Shard.prototype, "nextExpiryMs", "get").mockReturnValue(nextExpiryMs);
  vi.spyOn(Shard.prototype, "dropExpired").mockImplementationOnce(() => {
    throw new Error("The storage is away");
  });
  let alarmMs: number | null = null;
  const storage = {
    sql: { exec: () => ({ toArray: () => [], rowsWritten: 0 }), databaseSize: 0 },
    transactionSync: (work: () => unknown) => work(),
    getAlarm: async () => alarmMs,
    setAlarm: async (ms: number) => void (alarmMs = ms),
  };
  // As much of the platform as these objects use.
  const store = new Store({ storage } as unknown as DurableObjectState, {} as never);
  const wake = async (): Promise<void> => {
    // The platform forgets an alarm whose handler runs.
    alarmMs = null;
    await store.alarm();
  };
  await wake();
  expect(alarmMs).toBeGreaterThan(Date.now());
  expect(alarmMs).toBeLessThan(Date.now() + 60_000);
  await wake();
  expect(alarmMs).toBe(nextExpiryMs);
});
