import { describe, expect, test } from "vitest";
import { ScrapeOptions } from "../../../src/formats/scrape-options.ts";

const issuesOf = (options: object) => ScrapeOptions.safeParse(options).error?.issues ?? [];

describe("formats", () => {
  test("names and objects are the same wish", () => {
    const named = ScrapeOptions.parse({ formats: ["markdown", "screenshot"] });
    const spelled = ScrapeOptions.parse({ formats: [{ type: "markdown" }, { type: "screenshot" }] });
    expect(named).toEqual(spelled);
  });

  test.each([
    [
      "two screenshots",
      { formats: ["screenshot", { type: "screenshot", fullPage: true }] },
      "You may only specify one screenshot format",
    ],
    [
      "rawBase64 with another",
      { formats: ["rawBase64", "markdown"] },
      "The rawBase64 format cannot be combined with other formats",
    ],
  ])("refuses %s", (_what, options, message) => {
    expect(issuesOf(options)[0]?.message).toBe(message);
  });

  test.each([
    ["an unknown format", { formats: ["markdwon"] }],
    ["an unknown key in a format", { formats: [{ type: "markdown", foo: 1 }] }],
    ["attributes without selectors", { formats: ["attributes"] }],
    ["a quality over 100", { formats: [{ type: "screenshot", quality: 101 }] }],
    ["a language that is a header of its own", { location: { languages: ["a,".repeat(500)] } }],
  ])("refuses %s", (_what, options) => {
    expect(issuesOf(options)).not.toHaveLength(0);
  });

  test("an empty list asks for metadata alone", () => {
    expect(ScrapeOptions.parse({ formats: [] }).formats).toEqual([]);
  });
});

describe("values that clients send for none", () => {
  test.each([
    ["a null schema and prompt", { formats: [{ type: "json", schema: null, prompt: null }] }, { formats: ["json"] }],
    [
      "a null schema of data by rules",
      { formats: [{ type: "deterministicJson", schema: null, prompt: null }] },
      { formats: ["deterministicJson"] },
    ],
    ["an empty country", { location: { country: "", languages: ["de"] } }, { location: { languages: ["de"] } }],
  ])("%s", (_what, sent, absent) => {
    expect(ScrapeOptions.parse(sent)).toEqual(ScrapeOptions.parse(absent));
  });

  test("a null name of the user", () => {
    expect(issuesOf({ auditMetadata: { username: null } })).toEqual([]);
  });
});

describe("times and actions", () => {
  test.each([
    ["waitFor over half of timeout", { timeout: 2000, waitFor: 1500 }, "waitFor must not exceed half of timeout"],
    [
      "waits of over a minute",
      { actions: [{ type: "wait", milliseconds: 60_001 }] },
      "Total wait time (waitFor + wait actions) cannot exceed",
    ],
    [
      "more than fifty actions",
      { actions: Array.from({ length: 51 }, () => ({ type: "scrape" })) },
      "Number of actions cannot exceed 50",
    ],
    ["a timeout below a second", { timeout: 999 }, ""],
    ["a country that is none", { location: { country: "Germany" } }, "Invalid country code"],
    ["a code of no country", { location: { country: "zz" } }, "Invalid country code"],
    ["a code for private use", { location: { country: "XA" } }, "Invalid country code"],
    ["a header that the platform removes", { headers: { "CF-Worker": "x" } }, "is set by the service"],
    ["a header for the service's own proxy", { headers: { "Proxy-Authorization": "x" } }, "is set by the service"],
    ["an unknown option", { unknownOption: 1 }, "Unrecognized key"],
    ["redactPII of an unknown entity", { redactPII: { entities: ["CAT"] } }, ""],
    ["a profile to be changed", { profile: { name: "x", saveChanges: true } }, "does not change its profile"],
  ])("refuses %s", (_what, options, message) => {
    expect(
      issuesOf(options)
        .map((issue) => issue.message)
        .join(),
    ).toContain(message);
    expect(issuesOf(options)).not.toHaveLength(0);
  });

  test("a wait takes exactly one of milliseconds and selector", () => {
    expect(issuesOf({ actions: [{ type: "wait" }] })).not.toHaveLength(0);
    expect(issuesOf({ actions: [{ type: "wait", milliseconds: 1, selector: "a" }] })).not.toHaveLength(0);
    expect(
      issuesOf({
        actions: [
          { type: "wait", milliseconds: 1 },
          { type: "wait", selector: "a" },
        ],
      }),
    ).toHaveLength(0);
  });

  test("unknown keys inside an action are dropped, and generatePDF is a pdf", () => {
    const { actions } = ScrapeOptions.parse({ actions: [{ type: "scroll", amount: 3 }, { type: "generatePDF" }] });
    expect(actions).toEqual([
      { type: "scroll", direction: "down" },
      { type: "generatePDF", landscape: false, scale: 1, format: "Letter" },
    ]);
  });

  test.each(["DE", "gb", "XK", "hk", "us-generic", "US-whitelist"])("%s is a country", (country) => {
    expect(issuesOf({ location: { country } })).toHaveLength(0);
  });

  test.each(["redactPII", "profile"])("%s left out or false is no matter", (option) => {
    expect(issuesOf({ [option]: false })).toHaveLength(0);
  });
});
