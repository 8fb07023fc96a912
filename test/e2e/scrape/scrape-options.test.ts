import { describe, expect, test } from "vitest";
import { CallerFields, SCRAPE_OPTION_FIELDS } from "../../../src/formats/scrape-options.ts";
import { call } from "../client.ts";
import { api, EFFECTS, type Effects } from "./option-effects.ts";
import { FORMATS } from "./format-effects.ts";
import { PARSERS } from "./parser-effects.ts";
import { ACTIONS } from "./action-effects.ts";

const FIELDS: Record<string, Effects> = { ...EFFECTS, formats: FORMATS, parsers: PARSERS, actions: ACTIONS };

describe.each(Object.entries(FIELDS))("%s", (_field, effects) => {
  test.each(Object.entries(effects))("%s", (_sentence, show) => show(api("v2")));
});

test("no field of a scrape is accepted without a test", async () => {
  const accepted = ["url", ...Object.keys(SCRAPE_OPTION_FIELDS), "zeroDataRetention", ...Object.keys(CallerFields)];
  expect(Object.keys(FIELDS).toSorted()).toEqual(accepted.toSorted());
  const { components } = JSON.parse((await call("/openapi.json")).text);
  expect(Object.keys(components.schemas.ScrapeRequest.properties).toSorted()).toEqual(accepted.toSorted());
});
