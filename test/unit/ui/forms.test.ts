import { describe, expect, test } from "vitest";
import { toAgo, toBytes, toDuration, toWords } from "../../../src/ui/parts/format.ts";
import { toLines, withValue } from "../../../src/ui/playground/request/body.ts";
import { ENDPOINTS as KEY_ENDPOINTS, RATE_MODES } from "../../../src/core/account/api-key.ts";
import { ENDPOINTS, MODES, bodyOf, emptyForm } from "../../../src/ui/keys/key-form.ts";
import { stateOf } from "../../../src/ui/keys/key-types.ts";
import type { KeyInfo } from "../../../src/ui/keys/key-types.ts";
import { daysBetween, firstDay, toDollars } from "../../../src/ui/usage/measures.ts";
import { hrefOf, routeOf } from "../../../src/ui/routes.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");

describe("a new key", () => {
  test("can be restricted to every endpoint", () => {
    expect(ENDPOINTS).toEqual(KEY_ENDPOINTS);
    expect(MODES).toEqual(RATE_MODES);
  });

  test("sends only its name if nothing else is entered", () => {
    expect(bodyOf({ ...emptyForm(), name: " nightly " }, NOW)).toEqual({ name: "nightly", scopes: { admin: false } });
  });

  test("sends every value of the form", () => {
    const form = {
      name: "shop",
      expiry: "30",
      monthlyCredits: "0",
      maxConcurrency: "5",
      endpoints: ["crawl"],
      formats: "markdown, links,",
      limits: { scrape: "60", map: "" },
      isAdmin: true,
    };
    expect(bodyOf(form, NOW)).toEqual({
      name: "shop",
      expiresAt: "2026-12-21T12:00:00.000Z",
      monthlyCredits: 0,
      maxConcurrency: 5,
      scopes: { admin: true, endpoints: ["crawl"], formats: ["markdown", "links"] },
      limits: { scrape: 60 },
    });
  });

  test.each([
    { revokedAt: null, expiresAt: null, state: "active" },
    { revokedAt: null, expiresAt: "2026-11-21T11:00:00Z", state: "expired" },
    { revokedAt: null, expiresAt: "2026-11-22T11:00:00Z", state: "active" },
    { revokedAt: "2026-11-20T11:00:00Z", expiresAt: "2026-11-20T12:00:00Z", state: "revoked" },
  ])("is $state", ({ state, ...dates }) => {
    expect(stateOf(dates as KeyInfo, NOW)).toBe(state);
  });
});

describe("a form's values", () => {
  test("omit empty values, but not false or zero", () => {
    expect(withValue({ a: 1, b: 2 }, "b", "")).toEqual({ a: 1 });
    expect(withValue({}, "list", [])).toEqual({});
    expect(withValue({}, "group", {})).toEqual({});
    expect(withValue({ a: true }, "a", false)).toEqual({ a: false });
    expect(withValue({}, "count", 0)).toEqual({ count: 0 });
  });

  test("of lines omit empty lines", () => {
    expect(toLines(" a \n\n b\n")).toEqual(["a", "b"]);
  });
});

describe("display formats", () => {
  test.each([
    ["onlyMainContent", "Only main content"],
    ["url", "URL"],
    ["invalidURLs", "Invalid URLs"],
    ["deduplicateSimilarURLs", "Deduplicate similar URLs"],
    ["batch_scrape", "Batch scrape"],
    ["maxDiscoveryDepth", "Max discovery depth"],
    ["skipTlsVerification", "Skip TLS verification"],
    ["rawHtml", "Raw HTML"],
  ])("%s is %s", (name, words) => {
    expect(toWords(name)).toBe(words);
  });

  test.each([
    [999, "999 ms"],
    [1_500, "1.5 s"],
    [59_970, "1 min 0 s"],
    [61_000, "1 min 1 s"],
    [119_700, "2 min 0 s"],
    [3_720_000, "1 h 2 min"],
  ])("%d ms are %s", (ms, words) => {
    expect(toDuration(ms)).toBe(words);
  });

  test("of sizes and times are short", () => {
    expect([12, 1_500, 170_000, 2_500_000].map(toBytes)).toEqual(["12 B", "1.5 kB", "170 kB", "2.5 MB"]);
    expect(toAgo(NOW - 120_000, NOW)).toBe("2 minutes ago");
    expect(toAgo(NOW - 59.8 * 60_000, NOW)).toBe("1 hour ago");
    expect(toAgo("no date", NOW)).toBe("");
  });

  test("of dollars have two significant digits below one cent", () => {
    expect([0, 0.000_031, 0.25, 12].map(toDollars)).toEqual(["$0", "$0.000031", "$0.25", "$12.00"]);
  });
});

test("a range of days includes every day across the end of a month", () => {
  expect(daysBetween("2026-10-30", "2026-11-02")).toEqual(["2026-10-30", "2026-10-31", "2026-11-01", "2026-11-02"]);
  expect(firstDay(7, NOW)).toBe("2026-11-15");
});

test("routes are parsed from URLs and formatted as URLs", () => {
  expect(routeOf("")).toMatchObject({ view: "playground", id: undefined });
  expect(routeOf("#/crawls/%zz")).toMatchObject({ view: "jobs", id: "%zz" });
  const route = routeOf(hrefOf("jobs", "a/b", { tab: "x y" }));
  expect(route).toMatchObject({ view: "jobs", id: "a/b" });
  expect(route.query.get("tab")).toBe("x y");
});
