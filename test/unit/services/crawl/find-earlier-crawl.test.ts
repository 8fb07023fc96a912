import { beforeEach, describe, expect, test } from "vitest";
import type { JobRecord } from "../../../../src/core/jobs/job.ts";
import type { Frontiers } from "../../../../src/ports/crawl/frontier.ts";
import { findEarlierCrawl } from "../../../../src/services/crawl/find-earlier-crawl.ts";
import type { Caller, Deps } from "../../../../src/services/deps.ts";
import { ZERO_RETENTION_RECORD } from "../../../../src/core/jobs/zero-retention.ts";
import { createJobStore } from "../../../../src/storage/jobs/jobs.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";

const CALLER = { key: { id: "key", teamId: "team", limits: {}, scopes: {} } } as unknown as Caller;
const TARGET = "https://a.example/";
const OPTIONS = {
  sitemap: "include",
  limit: 100,
  scrapeOptions: { formats: [{ type: "markdown" }], onlyMainContent: true },
};
const LONG_OPTIONS = { ...OPTIONS, includePaths: Array.from({ length: 900 }, (_, at) => `/a/long/path/${at}`) };
const clock = fixedClock();
const idOf = (number: number): string => `01a1fca9-c0e6-70a0-9c2a-${String(number).padStart(12, "0")}`;

let deps: Pick<Deps, "jobs" | "clock" | "settings" | "frontiers">;
let held: [string, number][];
/** Jobs whose object was asked for their options. */
let asked: string[];
/** Jobs whose object has expired. */
let gone: Set<string>;

beforeEach(() => {
  held = [];
  gone = new Set();
  const hold: Frontiers["hold"] = async (id, untilMs) => {
    if (gone.has(id)) return undefined;
    held.push([id, untilMs]);
    return { template: "8:" };
  };
  asked = [];
  const recordedOptions = async (id: string): Promise<string | undefined> => {
    asked.push(id);
    return gone.has(id) ? undefined : JSON.stringify(LONG_OPTIONS);
  };
  const frontiers = { hold, recordedOptions } as unknown as Frontiers;
  deps = { jobs: createJobStore(nodeD1(), { frontiers }), clock, settings: testDeps().settings, frontiers };
});

async function insert(number: number, fields: Partial<JobRecord> = {}): Promise<string> {
  const id = idOf(number);
  await deps.jobs.insert({
    id,
    teamId: "team",
    keyId: "key",
    kind: "crawl",
    apiVersion: "v2",
    status: "completed",
    target: TARGET,
    optionsJson: JSON.stringify(OPTIONS),
    createdAtMs: clock.now() + number,
    endedAtMs: undefined,
    expiresAtMs: clock.now() + 1_000_000,
    ...fields,
  });
  return id;
}

const find = (since: string, options: unknown = OPTIONS) =>
  findEarlierCrawl(deps, CALLER, { since, target: TARGET, options, neededUntilMs: 77 });

describe("last", () => {
  test("is the newest completed crawl of the team with the same URL and options, and is held", async () => {
    const id = await insert(1);
    await insert(2, { status: "failed" });
    await insert(3, { teamId: "another" });
    await insert(4, { target: "https://a.example/docs" });
    await insert(5, { optionsJson: JSON.stringify({ ...OPTIONS, sitemap: "skip" }) });
    await insert(6, { kind: "batch_scrape" });
    await insert(7, { expiresAtMs: clock.now() - 1 });
    await insert(8, ZERO_RETENTION_RECORD);
    await insert(9, { apiVersion: "v1" });
    expect(await find("last")).toEqual({ id, template: "8:" });
    expect(held).toEqual([[id, 77]]);
  });

  test("is found by options that are too long for its record, which its object has", async () => {
    const id = await insert(1, { optionsJson: JSON.stringify(LONG_OPTIONS) });
    await insert(2, { optionsJson: JSON.stringify({ ...LONG_OPTIONS, sitemap: "skip" }) });
    gone.add(await insert(3, { optionsJson: JSON.stringify(LONG_OPTIONS) }));
    expect(await find("last", LONG_OPTIONS)).toEqual({ id, template: "8:" });
    expect(asked).toEqual([idOf(3), id]);
    expect(await find("last", { ...LONG_OPTIONS, includePaths: ["/other"] })).toBeUndefined();
    await expect(find(id)).rejects.toThrow("another value of includePaths");
  });

  test("does not mind other limits, or another order of the options", async () => {
    const id = await insert(1);
    const { scrapeOptions } = OPTIONS;
    const reordered = { onlyMainContent: scrapeOptions.onlyMainContent, formats: scrapeOptions.formats };
    const options = {
      scrapeOptions: reordered,
      limit: 5,
      delay: 1,
      since: "last",
      sinceOutput: "changes",
      sitemap: "include",
    };
    expect(await find("last", options)).toMatchObject({ id });
  });

  test("is none where no crawl is like it, or its object is gone", async () => {
    expect(await find("last")).toBeUndefined();
    gone.add(await insert(1));
    expect(await find("last")).toBeUndefined();
  });
});

describe("a crawl that is named", () => {
  test("is found by its ID", async () => {
    const id = await insert(1);
    expect(await find(id)).toMatchObject({ id });
  });

  test.each([
    { why: "of another team", fields: { teamId: "another" }, words: "Job not found" },
    { why: "that has expired", fields: { expiresAtMs: 1 }, words: "Job expired" },
    { why: "that is a batch", fields: { kind: "batch_scrape" as const }, words: "Job not found" },
    { why: "that still runs", fields: { status: "scraping" as const }, words: "has not completed (scraping)" },
    { why: "with zero data retention", fields: ZERO_RETENTION_RECORD, words: "zeroDataRetention" },
    { why: "of version 1", fields: { apiVersion: "v1" as const }, words: "version 1" },
    { why: "of another URL", fields: { target: "https://b.example/" }, words: "started at https://b.example/" },
    {
      why: "with other scrape options",
      fields: { optionsJson: JSON.stringify({ ...OPTIONS, scrapeOptions: {} }) },
      words: "another value of scrapeOptions",
    },
  ])("$why is refused with words", async ({ fields, words }) => {
    const id = await insert(1, fields);
    await expect(find(id)).rejects.toThrow(words);
    expect(held).toEqual([]);
  });

  test("whose object is gone, and one that does not exist, are refused", async () => {
    const id = await insert(1);
    gone.add(id);
    await expect(find(id)).rejects.toThrow("have expired");
    await expect(find(idOf(2))).rejects.toThrow("Job not found");
    await expect(find("yesterday")).rejects.toThrow("ID of a crawl");
  });
});
