import { describe, expect, test } from "vitest";
import { runTextTaskHere } from "../../../src/content/text-tasks/text-tasks.ts";
import { changeTracking, type ChangeTrackingRequest } from "../../../src/formats/change-tracking.ts";
import { creditsOfFormats, Formats } from "../../../src/formats/index.ts";
import { changedFields } from "../../../src/formats/model/changed-fields.ts";
import type { ChangeHistory } from "../../../src/ports/storage/change-history.ts";
import { memoryChangeHistory } from "../../fakes/memory/memory-change-history.ts";
import { contextFor, pageOf } from "./page.ts";

const HOUR_MS = 3_600_000;
const SCHEMA = { type: "object", properties: { name: { type: "string" }, price: { type: "number" } } };

const shopPage = (price: string, note = "Made in Leeds by hand.") => `<html><head><title>Kettle</title>
<script type="application/ld+json">{"@type":"Product","name":"Kettle","offers":{"@type":"Offer","price":"${price}"}}</script></head>
<body><main><h1>Kettle</h1><p>It costs ${price} pounds.</p><p>${note}</p></main></body></html>`;

/** Scrapes a page again and again, an hour apart. */
function tracker(history = memoryChangeHistory()) {
  let nowMs = Date.UTC(2026, 0, 1);
  return async (html: string, request: Partial<ChangeTrackingRequest> = {}, statusCode = 200) => {
    const context = contextFor();
    const page = await pageOf(html);
    page.loaded.statusCode = statusCode;
    const tracked = (tag: string | null) => ({ teamId: "team", url: "https://shop.example/kettle", tag });
    context.history = {
      nowMs,
      find: (tag) => history.find(tracked(tag)),
      save: (tag, snapshot) => history.save(tracked(tag), snapshot),
    };
    nowMs += HOUR_MS;
    const document = await changeTracking.derive(page, { type: "changeTracking", ...request }, context);
    return { ...document.changeTracking, warnings: context.warnings.join(" ") };
  };
}

describe("after an upgrade, a page that the version before has converted otherwise", () => {
  const tracked = { teamId: "team", url: "https://shop.example/kettle", tag: null };
  const asOfVersion = async (history: ChangeHistory, converter: string | undefined): Promise<void> => {
    const snapshot = await history.find(tracked);
    if (snapshot?.source === undefined) throw new Error("The snapshot has no source");
    const source = converter === undefined ? undefined : { ...snapshot.source, converter };
    await history.save(tracked, { ...snapshot, markdown: `${snapshot.markdown}\n\n* * *`, source });
  };

  test("is the same, and the next scrape compares with the new text", async () => {
    const history = memoryChangeHistory();
    const track = tracker(history);
    await track(shopPage("49"));
    await asOfVersion(history, "before");
    expect(await track(shopPage("49"), { modes: ["git-diff"] })).toMatchObject({ changeStatus: "same" });
    expect((await history.find(tracked))?.markdown).not.toContain("* * *");
    expect(await track(shopPage("39"))).toMatchObject({ changeStatus: "changed" });
  });

  test("is the same with its fields, without a call of a model", async () => {
    const history = memoryChangeHistory();
    const track = tracker(history);
    const request = { modes: ["json"] as "json"[], schema: SCHEMA };
    await track(shopPage("49"), request);
    await asOfVersion(history, "before");
    const snapshot = await history.find(tracked);
    if (snapshot?.extracted === undefined) throw new Error("The snapshot has no data");
    const extracted = { ...snapshot.extracted, sourceHash: "before", value: { name: "Kettle", price: 48 } };
    await history.save(tracked, { ...snapshot, extracted });
    expect(await track(shopPage("49"), request)).toMatchObject({ changeStatus: "same" });
    expect((await history.find(tracked))?.extracted?.value).toEqual(extracted.value);
  });

  test("is changed where its content is another, or its source is unknown", async () => {
    const history = memoryChangeHistory();
    const track = tracker(history);
    await track(shopPage("49"));
    await asOfVersion(history, "before");
    expect(await track(shopPage("39"))).toMatchObject({ changeStatus: "changed" });
    await asOfVersion(history, undefined);
    expect(await track(shopPage("39"))).toMatchObject({ changeStatus: "changed" });
  });
});

describe("a page", () => {
  test("is new, stays the same, changes, and tells when it was seen last", async () => {
    const track = tracker();
    expect(await track(shopPage("49"))).toMatchObject({ changeStatus: "new", previousScrapeAt: null });
    expect(await track(shopPage("49"))).toMatchObject({
      changeStatus: "same",
      previousScrapeAt: "2026-01-01T00:00:00.000Z",
    });
    const changed = await track(shopPage("39"));
    expect(changed).toMatchObject({ changeStatus: "changed", previousScrapeAt: "2026-01-01T01:00:00.000Z" });
    expect(changed).not.toHaveProperty("diff");
    expect(changed).not.toHaveProperty("json");
  });

  test.each([404, 410])(
    "that answers %d is removed, and is compared with what it was when it is back",
    async (status) => {
      const track = tracker();
      expect(await track("<p>gone</p>", {}, status)).toMatchObject({ changeStatus: "removed", previousScrapeAt: null });
      await track(shopPage("49"));
      expect(await track("<p>gone</p>", {}, status)).toMatchObject({ changeStatus: "removed" });
      expect(await track(shopPage("49"))).toMatchObject({ changeStatus: "same" });
    },
  );

  test("is followed by each tag apart", async () => {
    const track = tracker();
    await track(shopPage("49"), { tag: "a" });
    expect(await track(shopPage("39"), { tag: "b" })).toMatchObject({ changeStatus: "new" });
    expect(await track(shopPage("39"), { tag: "a" })).toMatchObject({ changeStatus: "changed" });
  });
});

describe("a long text", () => {
  /** Tracks two states of a page, and counts the tasks that compare them. */
  async function trackTexts(previous: string, current: string, modes: ChangeTrackingRequest["modes"]) {
    const context = contextFor();
    const view = await pageOf(shopPage("49"));
    let compared = 0;
    context.task = (name, input, budget) => {
      if (name === "compare") compared++;
      return runTextTaskHere(name, input, budget);
    };
    context.history = {
      nowMs: 1,
      find: async () => ({ scrapedAtMs: 0, markdown: previous }),
      save: async () => undefined,
    };
    const page = { ...view, markdown: () => current };
    const document = await changeTracking.derive(page, { type: "changeTracking", modes }, context);
    return { ...document.changeTracking, compared, warnings: context.warnings };
  }
  const line = "eight legs, ".repeat(900_000);

  test("of more than 10,000,000 characters is told apart without its lines", async () => {
    const changed = await trackTexts(line, `${line}and two more`, ["git-diff"]);
    expect(changed).toMatchObject({ changeStatus: "changed", compared: 0 });
    expect(changed).not.toHaveProperty("diff");
    expect(changed.warnings).toEqual([expect.stringContaining("10,000,000 characters")]);
    const moved = await trackTexts(`a ${line}`, `${line} a`, ["git-diff"]);
    expect(moved).toMatchObject({ changeStatus: "same", compared: 0, warnings: [] });
  });

  test("whose lines are not wanted is not sent to be compared", async () => {
    const [before, after] = [line.slice(0, 200_000), line.slice(0, 200_001)];
    expect(await trackTexts(before, `${after}x`, [])).toMatchObject({ changeStatus: "changed", compared: 0 });
    expect(await trackTexts(before, ` ${before}`, [])).toMatchObject({ changeStatus: "same", compared: 0 });
    expect(await trackTexts(before, `${after}x`, ["git-diff"])).toMatchObject({ compared: 1, warnings: [] });
  });
});

describe("the modes", () => {
  test.each([
    { request: { schema: SCHEMA, prompt: "The price" }, named: ["schema", "prompt"] },
    { request: { modes: ["git-diff" as const], prompt: "The price" }, named: ["prompt"] },
    { request: { prompt: " " }, named: [] },
    { request: {}, named: [] },
  ])("names what has no effect of $request", async ({ request, named }) => {
    const { warnings } = await tracker()(shopPage("49"), request);
    expect(warnings).toBe(
      named.map((name) => `changeTracking.${name}: it has no effect without the mode json.`).join(" "),
    );
  });

  test("git-diff shows the lines", async () => {
    const track = tracker();
    await track(shopPage("49"));
    const { diff } = await track(shopPage("39"), { modes: ["git-diff"] });
    expect(diff?.text).toContain("-It costs 49 pounds.\n+It costs 39 pounds.");
  });

  test("json shows the fields of the schema that changed", async () => {
    const track = tracker();
    const request: Partial<ChangeTrackingRequest> = { modes: ["json"], schema: SCHEMA };
    await track(shopPage("49"), request);
    await track(shopPage("49"), request);
    expect((await track(shopPage("39"), request)).json).toEqual({ price: { previous: 49, current: 39 } });
    expect((await track(shopPage("39", "Made in York by machine."), request)).json).toEqual({});
  });

  test("json says when the earlier scrape was read by no such schema", async () => {
    const track = tracker();
    await track(shopPage("49"));
    const request: Partial<ChangeTrackingRequest> = { modes: ["json"], schema: SCHEMA };
    const changed = await track(shopPage("39"), request);
    expect(changed).not.toHaveProperty("json");
    expect(changed.warnings).toContain("the earlier scrape did not read the page by this schema");
    expect((await track(shopPage("29"), request)).json).toEqual({ price: { previous: 39, current: 29 } });
  });

  test("json without a schema and without a model is left out in words", async () => {
    const track = tracker();
    await track(shopPage("49"));
    const changed = await track(shopPage("39"), { modes: ["json"] });
    expect(changed).not.toHaveProperty("json");
    expect(changed.warnings).toContain("no language model is configured");
  });
});

test("where nothing may be kept the format is left out, in words", async () => {
  const context = contextFor();
  context.history = "zeroDataRetention keeps no earlier state";
  expect(await changeTracking.derive(await pageOf("<p>x</p>"), { type: "changeTracking" }, context)).toEqual({});
  expect(context.warnings.join()).toContain("zeroDataRetention");
});

test("a store that fails costs the comparison alone", async () => {
  const context = contextFor();
  const fails = () => Promise.reject(new Error("D1 is down"));
  context.history = { nowMs: 0, find: fails, save: fails };
  expect(await changeTracking.derive(await pageOf("<p>x</p>"), { type: "changeTracking" }, context)).toEqual({});
  expect(context.warnings.join()).toContain("could not be read or written");
});

test("a mistake of ours is not taken for a failing store", async () => {
  const context = contextFor();
  context.history = { nowMs: 0, find: async () => undefined, save: async () => undefined };
  const page = await pageOf("<p>x</p>");
  page.markdown = () => {
    throw new TypeError("mistake");
  };
  await expect(changeTracking.derive(page, { type: "changeTracking" }, context)).rejects.toThrow("mistake");
});

test.each([
  ["by itself", [{ type: "changeTracking" }], 0],
  ["with json", [{ type: "changeTracking", modes: ["json"] }], 4],
  ["beside the json format, which pays", [{ type: "changeTracking", modes: ["json"] }, "json"], 4],
])("%s it costs so many credits more", (_what, formats, credits) => {
  expect(creditsOfFormats(Formats.parse(["markdown", ...formats]))).toBe(credits);
});

test.each([
  ["without markdown", ["changeTracking"], "requires the markdown format"],
  ["twice", ["markdown", "changeTracking", { type: "changeTracking", tag: "a" }], "only specify one"],
])("it is refused %s", (_what, formats, message) => {
  expect(Formats.safeParse(formats).error?.issues[0]?.message).toContain(message);
});

test("a field with the name of what every object inherits is compared like any other", () => {
  expect(changedFields({}, { constructor: "Ferrari" })).toEqual({
    constructor: { previous: null, current: "Ferrari" },
  });
  expect(changedFields({ toString: 1 }, { toString: 1 })).toEqual({});
});
