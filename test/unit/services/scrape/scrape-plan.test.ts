import { describe, expect, test } from "vitest";
import { ScrapeOptions } from "../../../../src/formats/scrape-options.ts";
import { planScrape, V2_DEFAULTS } from "../../../../src/services/scrape/scrape-plan.ts";

const plan = (options: object, url = "https://a.example/x#part") =>
  planScrape(url, ScrapeOptions.parse(options), V2_DEFAULTS);

describe("planScrape", () => {
  test.each([
    [{}, true],
    [{ formats: ["markdown", "screenshot"] }, true],
    [{ formats: ["screenshot"] }, false],
    [{ formats: ["markdown", "branding"] }, false],
    [{ actions: [{ type: "wait", milliseconds: 5 }] }, false],
  ])("%j can be had of a file: %s", (options, acceptsFile) => {
    expect(plan(options).page.acceptsFile).toBe(acceptsFile);
  });

  test("settles the defaults of v2", () => {
    expect(plan({})).toMatchObject({
      formats: [{ type: "markdown" }],
      timeoutMs: 60_000,
      removeBase64Images: true,
      page: { blockAds: true, mobile: false, skipTlsVerification: true, waitForMs: 0 },
      open: { clean: { onlyMainContent: true }, pdf: { mode: "auto" }, bytesOnly: false },
      cache: { read: { minAgeMs: 0, maxAgeMs: 172_800_000 }, store: true, only: undefined },
      warnings: [],
    });
  });

  test.each([
    {
      parsers: [{ type: "pdf", mode: "ocr" }, { type: "pdf", mode: "fast" }, "image"],
      warnings: ["parsers: pdf is listed more than once; the options of its first entry apply."],
    },
    { parsers: ["pdf", { type: "pdf", mode: "auto" }, "image", "image"], warnings: [] },
  ])("the parsers $parsers have the warnings $warnings", ({ parsers, warnings }) => {
    expect(plan({ parsers }).warnings).toEqual(warnings);
  });

  test.each([
    { mode: "fast", warnings: ["redactPII.mode: fast works like accurate on this service."] },
    { mode: "accurate", warnings: [] },
    { mode: "aggressive", warnings: [] },
  ])("redaction in the mode $mode has the warnings $warnings", ({ mode, warnings }) => {
    expect(plan({ redactPII: { mode } }).warnings).toEqual(warnings);
  });

  test.each([
    { timeout: 300_000, timeoutMs: 300_000, warnings: [] },
    {
      timeout: 300_001,
      timeoutMs: 300_000,
      warnings: ["timeout: it was lowered to 300000 ms, the longest that a scrape may take."],
    },
  ])("a timeout of $timeout ms is $timeoutMs ms, with the warnings $warnings", ({ timeout, timeoutMs, warnings }) => {
    expect(plan({ timeout })).toMatchObject({ timeoutMs, warnings });
  });

  test.each([
    ["a screenshot", { formats: ["screenshot"] }, ["screenshot"]],
    ["actions", { actions: [{ type: "press", key: "Enter" }] }, ["actions"]],
    ["a wait", { waitFor: 100 }, ["browser"]],
    ["the content of frames", { includeTags: ["main iframe"] }, ["browser"]],
    ["an empty list of actions", { actions: [] }, []],
    ["plain formats", { formats: ["markdown", "links"] }, []],
  ])("%s states what it needs", (_what, options, needs) => {
    expect([...plan(options).page.needs]).toEqual(needs);
  });

  test.each([
    ["maxAge 0", { maxAge: 0 }, undefined, true],
    ["actions", { actions: [{ type: "scrape" }] }, undefined, false],
    ["custom headers", { headers: { cookie: "a=1" } }, undefined, false],
    ["a stealth proxy", { proxy: "stealth" }, undefined, true],
    ["an egress route", { proxy: "office" }, undefined, false],
    ["storeInCache false", { storeInCache: false }, { minAgeMs: 0, maxAgeMs: 172_800_000 }, false],
    ["a selector of frames", { includeTags: ["main iframe"] }, undefined, true],
    ["minAge", { minAge: 259_200_000 }, { minAgeMs: 259_200_000, maxAgeMs: 63_072_000_000 }, false],
    ["minAge and maxAge", { minAge: 5, maxAge: 10 }, { minAgeMs: 5, maxAgeMs: 10 }, false],
    ["lockdown", { lockdown: true }, { minAgeMs: 0, maxAgeMs: 63_072_000_000 }, false],
  ])("%s decides how the cache takes part", (_what, options, read, store) => {
    expect(plan(options).cache).toMatchObject({ read, store });
  });

  test.each([
    ["mobile", { mobile: true }],
    ["blockAds", { blockAds: false }],
    ["country", { location: { country: "DE" } }],
    ["languages", { location: { languages: ["de"] } }],
    ["screenshot", { formats: ["screenshot"] }],
    ["a full-page screenshot", { formats: [{ type: "screenshot", fullPage: true }] }],
  ])("%s makes another cache entry", (_what, options) => {
    expect(plan(options).cache.key).not.toEqual(plan({}).cache.key);
  });

  test("languages are a set, and fragments do not matter to the cache", () => {
    const some = plan({ location: { languages: ["de", "EN"] } }, "https://a.example/x#one").cache.key;
    expect(plan({ location: { languages: ["en", "DE"] } }, "https://a.example/x#two").cache.key).toEqual(some);
  });

  test.each([
    ["headers", { headers: { a: "b" } }],
    ["actions", { actions: [{ type: "scrape" }] }],
  ])("%s turn certificate checks on, unless asked otherwise", (_what, options) => {
    expect(plan(options).page.skipTlsVerification).toBe(false);
    expect(plan({ ...options, skipTlsVerification: true }).page.skipTlsVerification).toBe(true);
  });

  test.each([
    ["location.country", { location: { country: "fr" } }],
    ["onlyCleanContent", { onlyCleanContent: true, formats: [{ type: "links" }] }],
    ["useMock", { useMock: "x" }],
    ["threatProtection", { threatProtection: { mode: "normal" } }],
    ["auditMetadata", { auditMetadata: { username: "u" } }],
    ["safeMode", { safeMode: true }],
    ["__agentInterop", { __agentInterop: { a: 1 } }],
  ])("%s that cannot be honoured is named in a warning", (name, options) => {
    expect(plan(options).warnings.join()).toContain(name);
  });

  test("an option that is switched off is no wish", () => {
    expect(plan({ safeMode: false, tools: null, onlyCleanContent: false }).warnings).toEqual([]);
  });

  test.each([
    [{ timeout: 30_000 }, 120_000],
    [{ timeout: 30_000, proxy: "basic" }, 30_000],
    [{ timeout: 5000 }, 5000],
    [{ timeout: 900_000 }, 300_000],
    [{ waitFor: 20_000 }, 60_000],
    [{ waitFor: 60_000 }, 120_000],
    [{ waitFor: 20_000, timeout: 50_000 }, 50_000],
    [{ waitFor: 5_000, actions: [{ type: "wait", milliseconds: 35_000 }] }, 80_000],
  ])("%j takes at most %d ms", (options, timeoutMs) => {
    expect(plan(options).timeoutMs).toBe(timeoutMs);
  });

  test("parsers: [] hands a PDF over as Base64, options of the pdf parser are passed on", () => {
    expect(plan({ parsers: [] }).open.pdf).toBeUndefined();
    expect(plan({ parsers: [{ type: "pdf", maxPages: 2, pages: true, mode: "fast" }] }).open.pdf).toMatchObject({
      mode: "fast",
      maxPages: 2,
      pages: true,
    });
  });
});
