import { describe, expect, inject, test } from "vitest";
import { Action } from "../../../src/core/scrape/actions.ts";
import { browserRequest, loadPage, testBrowser } from "./browser-helpers.ts";
import { shortAndLong } from "../../sample.ts";

const site = inject("siteUrl");
const TOTAL = 45;

/** The names of the boats that the page shows after the action, in order. */
async function boatsOf(
  kind: string,
  options: object = {},
): Promise<{ boats: string[]; warnings: string[]; body: string }> {
  const action = Action.parse({ type: "collect", item: ".row", ...options });
  const { body, warnings } = await loadPage(`${site}/app/lists?kind=${kind}&total=${TOTAL}`, {
    actions: [action],
    deadlineMs: Date.now() + 60_000,
  });
  const rows = body.matchAll(/<(div|tr)[^>]* class="row[^>]*>(.*?)<\/\1>/g);
  return { boats: [...rows].map(([, , text = ""]) => text.replace(/<[^>]+>/g, "")), warnings, body };
}

const ALL = Array.from({ length: TOTAL }, (_, index) => `Boat ${index + 1} of the bay`);

describe("collect has every item of a list, in order and once", () => {
  for (const { tags, entries } of shortAndLong(
    [
      { kind: "endless", what: "that grows at its end" },
      { kind: "sentinel", what: "that grows a while after its end was seen" },
      { kind: "virtual", what: "that shows a part, with places" },
      { kind: "bare", what: "that shows a part, without places" },
      { kind: "recycled", what: "that reuses its elements" },
      { kind: "table", what: "that is a table" },
      { kind: "page", what: "that shows a part of itself in the page" },
      { kind: "columns", what: "that is in columns" },
      { kind: "button", what: "with a button that goes", options: { more: "#more" } },
      { kind: "disabled", what: "with a button that is disabled at the end", options: { more: "#more" } },
      { kind: "pages", what: "of pages that follow by a button", options: { more: "#more" } },
      { kind: "links", what: "of pages that are loaded by a link", options: { more: "#more" } },
    ],
    ({ kind }) => ["recycled", "button"].includes(kind),
  ))
    test.each(entries)("$what", { tags }, async ({ kind, options }) => {
      const { boats, warnings, body } = await boatsOf(kind, options);
      expect(boats).toEqual(ALL);
      expect(warnings).toEqual([]);
      expect(body).toContain("The list is kept by the harbour office.");
    });

  test("with equal items", async () => {
    const { boats } = await boatsOf("same", { within: ".box" });
    expect(boats).toEqual(Array.from({ length: TOTAL }, (_, index) => (index % 7 === 3 ? `Heron ${index}` : "Gull")));
  });
});

test("collect ends at its number of items, and says so", async () => {
  const { boats, warnings } = await boatsOf("virtual", { maxItems: 25 });
  expect(boats).toEqual(ALL.slice(0, 25));
  expect(warnings.join()).toContain("25 items (maxItems)");
});

test("collect ends at its time, and says so", async () => {
  const { boats, warnings } = await boatsOf("sentinel", { maxMilliseconds: 1_000 });
  expect(boats.length).toBeGreaterThan(0);
  expect(boats).toEqual(ALL.slice(0, boats.length));
  expect(warnings.join()).toContain("the time limit was reached");
});

for (const { tags, entries } of shortAndLong(
  [{ item: ".no" }, { item: ".row", within: "#no" }],
  ({ within }) => within !== undefined,
))
  test.each(entries)("collect fails without a match: %j", { tags }, async (options) => {
    const action = Action.parse({ type: "collect", ...options });
    const outcome = await testBrowser().load(browserRequest(`${site}/app/lists?kind=virtual`, { actions: [action] }));
    expect(outcome).toMatchObject({ kind: "failed", code: "SCRAPE_ACTION_ERROR" });
    expect(outcome.kind === "failed" && outcome.message).toContain("nothing matches the selector");
  });

test("scroll goes on to the end when asked to", async () => {
  const action = Action.parse({ type: "scroll", toEnd: true });
  const { body } = await loadPage(`${site}/app/lists?kind=endless&total=${TOTAL}`, { actions: [action] });
  expect(body).toContain(`Boat ${TOTAL} of the bay`);
});
