import { beforeEach, expect, test } from "vitest";
import { createJobList } from "../../../../src/storage/jobs/job-list.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";

const CONFIG = {
  schedule: { cron: "0 * * * *" },
  targets: [
    {
      id: "1",
      type: "scrape",
      urls: ["https://one.example/Prices", "https://two.example/"],
      scrapeOptions: { formats: ["markdown"] },
    },
    { id: "2", type: "crawl", url: "https://three.example/" },
    { id: "3", type: "search", queries: ["Wholesale cod"] },
  ],
  webhook: { url: "https://hooks.example/", headers: { authorization: "hidden" } },
};

let db: D1Database;

beforeEach(async () => {
  db = nodeD1();
  const insert = (table: string, row: Record<string, unknown>) =>
    db
      .prepare(
        `INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${Object.keys(row)
          .map(() => "?")
          .join()})`,
      )
      .bind(...Object.values(row))
      .run();
  for (const [id, team_id, name, config] of [
    ["fish", "team", "Fish", CONFIG],
    ["empty", "team", "Other", {}],
    ["foreign", "another", "Fish", CONFIG],
  ] as const) {
    const times = { created_at_ms: 1, updated_at_ms: 1 };
    await insert("monitors", {
      id,
      team_id,
      key_id: "key",
      name,
      status: "active",
      config: JSON.stringify(config),
      ...times,
    });
    const check = {
      status: "completed",
      started_by: "schedule",
      lease_until_ms: 0,
      actual_credits: 0,
      expires_at_ms: 9e15,
    };
    await insert("monitor_checks", { id: `check of ${id}`, monitor_id: id, team_id, ...check, ...times });
  }
});

const search = async (text: string): Promise<string[]> => {
  const range = { fromMs: 0, toMs: 9, nowMs: 1, limit: 10, after: undefined, statuses: undefined };
  const { jobs } = await createJobList(db).list("team", { kinds: ["monitor_check"], text, ...range });
  return jobs.map(({ id }) => id);
};

test.each(["fish", "FISH", "one.example/prices", "two.example", "three.example", "wholesale COD"])(
  "a search finds the checks of a monitor by its name, a URL or a query: %s",
  async (text) => {
    expect(await search(text)).toEqual(["check of fish"]);
  },
);

test.each(["hidden", "hooks.example", "markdown", "cron", "zzz"])(
  "a search does not find checks by other settings of their monitor: %s",
  async (text) => {
    expect(await search(text)).toEqual([]);
  },
);

test("a search finds a check by the beginning of its ID", async () => {
  expect(await search("Check of e")).toEqual(["check of empty"]);
});

test.each([
  { name: "новости Москвы", found: ["новости Москвы", "москвы", "МОСКВЫ"], other: ["новости москвы"] },
  { name: "Новости Москвы", found: ["новости москвы", "новости МОСКВЫ", "Новости Москвы"], other: [] },
  { name: "НОВОСТИ МОСКВЫ", found: ["новости москвы"], other: [] },
])("a search compares letters outside ASCII in the forms of the contract: “$name”", async ({ name, found, other }) => {
  await db.prepare("UPDATE monitors SET name = ? WHERE id = 'fish'").bind(name).run();
  for (const text of found) expect(await search(text)).toEqual(["check of fish"]);
  for (const text of other) expect(await search(text)).toEqual([]);
});
