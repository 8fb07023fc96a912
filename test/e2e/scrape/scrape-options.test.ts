import { describe, expect, test } from "vitest";
import { CallerFields, SCRAPE_OPTION_FIELDS } from "../../../src/formats/scrape-options.ts";
import { shortAndLong } from "../../sample.ts";
import { call } from "../client.ts";
import { api, EFFECTS, type Effects } from "./option-effects.ts";
import { FORMATS } from "./format-effects.ts";
import { PARSERS } from "./parser-effects.ts";
import { ACTIONS } from "./action-effects.ts";

const FIELDS: Record<string, Effects> = { ...EFFECTS, formats: FORMATS, parsers: PARSERS, actions: ACTIONS };

/** Further effects of a field, each with a page in the browser or two, which the worker tests prove as well, and recognition. */
const LONG = new Set([
  "headers: go along when a browser loads the page",
  "includeTags: keep the content of frames",
  "waitFor: has no effect on a file, which is read all the same, with a warning",
  "blockAds: keeps advertising from loading",
  "parsers: mode ocr recognises the text of pages that have a text layer",
  "actions: click takes the first match, or with all every one",
  "actions: click fails without a match, unless it is for all",
  "actions: scroll brings what comes with scrolling",
  "actions: wait lets time pass",
  "actions: screenshot takes pictures between steps",
  "actions: pdf prints smaller with scale",
]);

for (const [field, effects] of Object.entries(FIELDS)) {
  describe(field, () => {
    const named = shortAndLong(Object.entries(effects), ([sentence]) => !LONG.has(`${field}: ${sentence}`));
    for (const { tags, entries } of named) test.each(entries)("%s", { tags }, (_sentence, show) => show(api("v2")));
  });
}

test("each effect that is long is one of a field", () => {
  const sentences = Object.entries(FIELDS).flatMap(([field, effects]) =>
    Object.keys(effects).map((sentence) => `${field}: ${sentence}`),
  );
  expect([...LONG].filter((name) => !sentences.includes(name))).toEqual([]);
});

test("no field of a scrape is accepted without a test", async () => {
  const accepted = ["url", ...Object.keys(SCRAPE_OPTION_FIELDS), "zeroDataRetention", ...Object.keys(CallerFields)];
  expect(Object.keys(FIELDS).toSorted()).toEqual(accepted.toSorted());
  const { components } = JSON.parse((await call("/openapi.json")).text);
  expect(Object.keys(components.schemas.ScrapeRequest.properties).toSorted()).toEqual(accepted.toSorted());
});
