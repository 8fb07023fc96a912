import { describe, expect, test } from "vitest";
import { changedFields } from "../../../src/ui/monitors/changed-fields.ts";
import { comparePictures, type Pixels } from "../../../src/ui/monitors/compare-pictures.ts";
import { compareWords, readHunks, rowsOf } from "../../../src/ui/monitors/diff-lines.ts";
import {
  bodyOf,
  changeOf,
  editableTarget,
  emptyMonitorForm,
  formOf,
  problemOf,
  schemaOf,
  toggleLine,
} from "../../../src/ui/monitors/monitor-form.ts";
import { countsInWords, scheduleInWords, targetInWords } from "../../../src/ui/monitors/monitor-types.ts";
import type { MonitorInfo, WatchedTarget } from "../../../src/ui/monitors/monitor-types.ts";
import { readRegions, regionsAt } from "../../../src/ui/monitors/regions.ts";

const DIFF = [
  "--- previous.md",
  "+++ current.md",
  "@@ -3,4 +3,4 @@",
  " | Fish | Price |",
  "-| Herring | £3.25 |",
  "+| Herring | £3.50 |",
  "+| Sprat | £2.00 |",
  " | Mackerel | £4.10 |",
  "\\ No newline at end of file",
].join("\n");

describe("a diff of texts", () => {
  test("has the line numbers of both versions", () => {
    const [hunk] = readHunks(DIFF);
    const lines = hunk?.lines.map(({ kind, before, after }) => [kind, before, after]);
    expect(lines).toEqual([
      ["same", 3, 3],
      ["removed", 4, undefined],
      ["added", undefined, 4],
      ["added", undefined, 5],
      ["same", 5, 6],
    ]);
  });

  test("side by side pairs a line with the one that replaces it, and marks the words that differ", () => {
    const rows = rowsOf(readHunks(DIFF)[0]?.lines ?? []);
    const text = (pieces: readonly { text: string; isChanged: boolean }[] = []): string =>
      pieces.map((piece) => (piece.isChanged ? `[${piece.text}]` : piece.text)).join("");
    expect(rows.map(({ before, after }) => [text(before?.pieces), text(after?.pieces)])).toEqual([
      ["| Fish | Price |", "| Fish | Price |"],
      ["| Herring | £3.[25] |", "| Herring | £3.[50] |"],
      ["", "| Sprat | £2.00 |"],
      ["| Mackerel | £4.10 |", "| Mackerel | £4.10 |"],
    ]);
  });

  test("compares long lines as a whole", () => {
    const [before] = compareWords("word ".repeat(1_000), "other ".repeat(1_000));
    expect(before).toHaveLength(1);
    expect(before[0]?.isChanged).toBe(true);
  });

  test("of fields keeps only entries with two values", () => {
    const json = { price: { previous: "4 €", current: "5 €" }, tags: { previous: null, current: ["a"] }, files: [] };
    expect(changedFields(json)).toEqual([
      { name: "price", previous: "4 €", current: "5 €" },
      { name: "tags", previous: "", current: '["a"]' },
    ]);
  });
});

describe("a comparison of pictures", () => {
  const picture = (width: number, height: number, dark: [x: number, y: number][] = []): Pixels => {
    const data = new Uint8ClampedArray(width * height * 4).fill(255);
    for (const [x, y] of dark) data.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3);
    return { width, height, data };
  };

  test("finds the areas that differ, and their share", () => {
    const after = picture(100, 100, [[2, 2], [18, 3], [90, 90]]); // prettier-ignore
    const { share, boxes } = comparePictures(picture(100, 100), after);
    expect(share).toBeCloseTo(3 / 10_000);
    expect(boxes).toEqual([
      { x: 0, y: 0, width: 32, height: 16 },
      { x: 80, y: 80, width: 16, height: 16 },
    ]);
  });

  test("of the same picture finds nothing", () => {
    expect(comparePictures(picture(20, 20), picture(20, 20))).toEqual({ share: 0, boxes: [] });
  });

  test("counts the rest of a longer picture as different", () => {
    expect(comparePictures(picture(16, 16), picture(16, 32))).toEqual({
      share: 0.5,
      boxes: [{ x: 0, y: 16, width: 16, height: 16 }],
    });
  });
});

describe("regions of a page", () => {
  const box = (selector: string, x: number, y: number, width: number, height: number) =>
    ({ selector, text: "", x, y, width, height }); // prettier-ignore
  const page = { width: 800, height: 600, regions: [box("main", 0, 0, 800, 600), box(".price", 10, 10, 50, 20)] };

  test("at a point are the smallest first", () => {
    expect(regionsAt(page, 20, 20).map(({ selector }) => selector)).toEqual([".price", "main"]);
    expect(regionsAt(page, 500, 500).map(({ selector }) => selector)).toEqual(["main"]);
  });

  test("are read from the page's script without anything unexpected", () => {
    const forged = { ...page, regions: [...page.regions, "x", { selector: 5 }, box("a", 0, 0, Number.NaN, 1)] };
    expect(readRegions(forged)).toEqual(page);
    expect(readRegions(null)).toBeUndefined();
    expect(readRegions({ width: 0, height: 10, regions: [] })).toBeUndefined();
  });
});

describe("the form of a monitor", () => {
  const form = { ...emptyMonitorForm({ url: "https://example.com/prices" }), timezone: "Europe/Berlin" };

  test("has the least request for a page", () => {
    expect(bodyOf(form)).toEqual({
      name: "example.com/prices",
      schedule: { text: "daily", timezone: "Europe/Berlin" },
      targets: [{ type: "scrape", urls: ["https://example.com/prices"] }],
    });
  });

  test("sends fields, screenshots, noise rules, goal and webhook", () => {
    const full = {
      ...form,
      compare: "both" as const,
      fields: "price: number\nname",
      hasPicture: true,
      excludeTags: ".ad\n\n #clock ",
      goal: "prices",
      webhookUrl: "https://example.com/hook",
      events: ["monitor.page"],
      schedule: "custom",
      customSchedule: "0 9 * * 1",
    };
    expect(bodyOf(full)).toMatchObject({
      schedule: { cron: "0 9 * * 1" },
      goal: "prices",
      webhook: { url: "https://example.com/hook", events: ["monitor.page"] },
      targets: [
        {
          scrapeOptions: {
            excludeTags: [".ad", "#clock"],
            formats: [
              "markdown",
              { type: "changeTracking", modes: ["git-diff", "json"], schema: schemaOf("price: number\nname") },
              { type: "screenshot", fullPage: true },
            ],
          },
        },
      ],
    });
    expect(schemaOf("price: number\nname").properties).toEqual({ price: { type: "number" }, name: { type: "string" } });
  });

  test("sends words of a schedule as text, also words of five parts", () => {
    const custom = { ...form, schedule: "custom", customSchedule: "every 6 hours at :15" };
    expect(bodyOf(custom)).toMatchObject({ schedule: { text: "every 6 hours at :15" } });
  });

  test.each([
    [{ urls: "" }, "urls"],
    [{ urls: "https://example.com\nexample" }, "urls"],
    [{ kind: "crawl" as const, urls: "https://a.example\nhttps://b.example" }, "urls"],
    [{ kind: "crawl" as const, limit: "0" }, "limit"],
    [{ compare: "fields" as const }, "fields"],
    [{ schedule: "custom" }, "customSchedule"],
  ])("names the field of %j that cannot be sent", (change, field) => {
    expect(problemOf({ ...form, ...change })?.field).toBe(field);
  });

  test("adds and removes a rule", () => {
    expect(toggleLine(".ad", "#clock")).toBe(".ad\n#clock");
    expect(toggleLine(".ad\n#clock", ".ad")).toBe("#clock");
  });
});

test("the outcome of a check and its target are named in words", () => {
  const none = { totalPages: 2, same: 2, changed: 0, new: 0, removed: 0, error: 0 };
  expect(countsInWords(none)).toBe("no change");
  expect(countsInWords({ ...none, same: 0, changed: 1, error: 1 })).toBe("1 changed, 1 failed");
  expect(countsInWords(null)).toBeUndefined();
  expect(targetInWords({ type: "scrape", urls: ["https://a.example", "https://b.example"] })).toBe(
    "https://a.example and 1 more",
  );
});

test.each([
  ["0 0 * * *", "Every day at 00:00 (UTC)"],
  ["*/15 * * * *", "Every 15 minutes"],
  ["7 * * * *", "Every hour"],
  ["3 */6 * * *", "Every 6 hours"],
  ["30 9 * * 1", "Every Monday at 09:30 (UTC)"],
  ["30 9 * * 1-5", "30 9 * * 1-5 (UTC)"],
  ["0 9 1 * *", "0 9 1 * * (UTC)"],
])("the schedule %s is shown as %s", (cron, words) => {
  expect(scheduleInWords({ cron, timezone: "UTC" })).toBe(words);
});

describe("the settings of a monitor", () => {
  const monitorWith = (...targets: WatchedTarget[]): MonitorInfo => ({
    id: "m",
    name: "Prices",
    status: "active",
    schedule: { cron: "0 9 * * *", timezone: "Europe/Berlin" },
    nextRunAt: null,
    lastRunAt: null,
    currentCheckId: null,
    targets,
    webhook: { url: "https://hooks.example/", headers: { "x-team": "a" }, events: ["monitor.page"] },
    retentionDays: 30,
    estimatedCreditsPerMonth: 30,
    lastCheckSummary: null,
    goal: "Prices that fall",
  });
  const schema = { type: "object", properties: { price: { type: "number" }, name: { type: "string" } } };
  const target: WatchedTarget = {
    id: "t",
    type: "scrape",
    urls: ["https://shop.example/a", "https://shop.example/b"],
    scrapeOptions: {
      waitFor: 500,
      excludeTags: [".ad"],
      formats: [
        "markdown",
        "links",
        { type: "changeTracking", modes: ["git-diff", "json"], schema, tag: "eu" },
        { type: "screenshot", fullPage: false },
      ],
    },
  };

  test("fill the form, and are sent back as they were", () => {
    const monitor = monitorWith(target);
    const form = formOf(monitor);
    expect(form).toMatchObject({
      name: "Prices",
      kind: "scrape",
      urls: "https://shop.example/a\nhttps://shop.example/b",
      schedule: "custom",
      customSchedule: "0 9 * * *",
      timezone: "Europe/Berlin",
      compare: "both",
      fields: "price: number\nname",
      hasPicture: true,
      excludeTags: ".ad",
      goal: "Prices that fall",
      webhookUrl: "https://hooks.example/",
      events: ["monitor.page"],
    });
    expect(changeOf(form, monitor)).toMatchObject({
      schedule: { cron: "0 9 * * *", timezone: "Europe/Berlin" },
      webhook: monitor.webhook,
    });
    expect(changeOf({ ...form, urls: "https://shop.example/a" }, monitor)).toMatchObject({
      targets: [{ id: "t", urls: ["https://shop.example/a"], scrapeOptions: { waitFor: 500, excludeTags: [".ad"] } }],
    });
  });

  const nested = {
    type: "object",
    required: ["offers", "name"],
    properties: {
      offers: { type: "array", items: { type: "object", properties: { price: { type: "number" } } } },
      price: { type: "object", properties: { amount: { type: "number", description: "Without tax" } } },
      name: { type: "string", description: "As on the label" },
    },
  };
  const trackedBy = (fields: Record<string, unknown>): WatchedTarget => ({
    ...target,
    scrapeOptions: { formats: ["markdown", { type: "changeTracking", modes: ["json"], ...fields }] },
  });
  const trackingOf = (change: Record<string, unknown>): unknown => {
    const [changed] = (change["targets"] ?? []) as WatchedTarget[];
    return changed?.scrapeOptions?.formats?.find((format) => typeof format === "object");
  };

  test("leave the target out when only its name changes", () => {
    for (const one of [target, trackedBy({ schema: nested }), trackedBy({ prompt: "The price" })]) {
      const monitor = monitorWith(one);
      expect(changeOf({ ...formOf(monitor), name: "Renamed" }, monitor)).not.toHaveProperty("targets");
    }
  });

  test("keep a nested schema when another setting of the target changes", () => {
    const monitor = monitorWith(trackedBy({ schema: nested, prompt: "The offers" }));
    const form = { ...formOf(monitor), excludeTags: ".ad" };
    expect(trackingOf(changeOf(form, monitor))).toEqual({
      type: "changeTracking",
      modes: ["json"],
      schema: nested,
      prompt: "The offers",
    });
  });

  test("keep the schemas of fields whose lines stay when another line is added or removed", () => {
    const monitor = monitorWith(trackedBy({ schema: nested }));
    const { offers, price } = nested.properties;
    expect(formOf(monitor).fields).toBe("offers: array\nprice: object\nname");
    const form = { ...formOf(monitor), fields: "offers: array\nprice: object\nstock: integer" };
    expect(trackingOf(changeOf(form, monitor))).toMatchObject({
      schema: { type: "object", required: ["offers"], properties: { offers, price, stock: { type: "integer" } } },
    });
  });

  test("of fields that only a prompt describes can be sent, and get no schema", () => {
    const monitor = monitorWith(trackedBy({ prompt: "The price" }));
    const form = { ...formOf(monitor), excludeTags: ".ad" };
    expect(problemOf(form, true, formOf(monitor))).toBeUndefined();
    expect(trackingOf(changeOf(form, monitor))).toEqual({
      type: "changeTracking",
      modes: ["json"],
      prompt: "The price",
    });
  });

  test("keep the options of a comparison of texts", () => {
    const tracking = { type: "changeTracking", modes: ["git-diff"], tag: "eu" };
    const monitor = monitorWith({ ...target, scrapeOptions: { formats: ["markdown", tracking] } });
    expect(trackingOf(changeOf({ ...formOf(monitor), excludeTags: ".ad" }, monitor))).toEqual(tracking);
  });

  test.each([
    [["check.completed"], ["monitor.check.completed"]],
    [["check", "completed"], ["monitor.check.completed"]],
    [["page"], ["monitor.page"]],
    [
      ["page", "later.event"],
      ["monitor.page", "later.event"],
    ],
    [["page", "check"], undefined],
  ])("send the events %j as %j", (events, sent) => {
    const monitor = { ...monitorWith(target), webhook: { url: "https://hooks.example/", events } };
    const { webhook } = changeOf(formOf(monitor), monitor) as { webhook: { events?: string[] } };
    expect(webhook.events).toEqual(sent);
  });

  test("keep options that the form does not show, and lose those that it clears", () => {
    const monitor = monitorWith(target);
    const form = { ...formOf(monitor), compare: "text" as const, excludeTags: "", goal: "", webhookUrl: "" };
    expect(changeOf(form, monitor)).toMatchObject({
      goal: null,
      webhook: null,
      targets: [
        {
          id: "t",
          scrapeOptions: { waitFor: 500, formats: ["markdown", { type: "screenshot", fullPage: false }, "links"] },
        },
      ],
    });
    expect(JSON.stringify(changeOf(form, monitor))).not.toMatch(/excludeTags|changeTracking/);
  });

  test("of a site keep its paths", () => {
    const site = {
      id: "s",
      type: "crawl",
      url: "https://shop.example/",
      crawlOptions: { limit: 5, sitemap: "only" },
    } as const;
    const monitor = monitorWith(site);
    expect(formOf(monitor)).toMatchObject({ kind: "crawl", urls: "https://shop.example/", limit: "5" });
    expect(changeOf({ ...formOf(monitor), limit: "9" }, monitor)).toMatchObject({
      targets: [{ id: "s", type: "crawl", crawlOptions: { limit: 9, sitemap: "only" } }],
    });
  });

  test.each([[undefined], [{}], [{ sitemap: "only" }], [{ limit: 20 }]])(
    "of a site with the options %j keep them as they are written, so that its known pages stay",
    (crawlOptions) => {
      const site: WatchedTarget = { id: "s", type: "crawl", url: "https://shop.example/", ...(crawlOptions && { crawlOptions }) }; // prettier-ignore
      const monitor = monitorWith(site);
      const { targets } = changeOf({ ...formOf(monitor), excludeTags: ".ad" }, monitor) as { targets: WatchedTarget[] };
      expect(targets).toEqual([{ ...site, scrapeOptions: { excludeTags: [".ad"] } }]);
    },
  );

  test("of a site send a limit that is not the default", () => {
    const monitor = monitorWith({ id: "s", type: "crawl", url: "https://shop.example/" });
    expect(changeOf({ ...formOf(monitor), limit: "21" }, monitor)).toMatchObject({
      targets: [{ crawlOptions: { limit: 21 } }],
    });
  });

  test("leave searches and several targets as they are", () => {
    const search = { type: "search", queries: ["tides"] } as const;
    for (const monitor of [monitorWith({ ...search, queries: [...search.queries] }), monitorWith(target, target)]) {
      expect(editableTarget(monitor)).toBeUndefined();
      expect(problemOf(formOf(monitor), false)).toBeUndefined();
      expect(changeOf(formOf(monitor), monitor)).not.toHaveProperty("targets");
    }
  });
});
