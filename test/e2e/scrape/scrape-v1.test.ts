import { describe, expect, test } from "vitest";
import { call, cached, fresh, scrape, scraped } from "../client.ts";
import { api, EFFECTS, refuses, WHOLE, type Effects } from "./option-effects.ts";
import { pictureAt } from "../sessions/picture-at.ts";
import { startTlsSite } from "../../worker/scrape/tls-site.ts";
import { shortAndLong } from "../../sample.ts";

const later = (field: string, value: unknown): Effects => ({
  "is refused by name": refuses({ [field]: value }, [field], `The option ${field} is not available`),
});

const NAMED = { type: "object", properties: { name: { type: "string" } } };
const BOTH = "When 'extract' or 'json' format is specified";

const { redactPII: _, ...SHARED } = EFFECTS;

/** What differs in version 1. */
const V1_FIELDS: Record<string, Effects> = {
  ...SHARED,
  formats: {
    "are names": async () => {
      const formats = ["markdown", "html", "rawHtml", "links", "screenshot"];
      const { metadata, screenshot, ...rest } = await scraped("/images", { formats }, "v1");
      expect([...Object.keys(rest), "screenshot"]).toEqual(formats);
      expect(metadata.statusCode).toBe(200);
      expect(await pictureAt(screenshot)).toMatchObject({ width: 1920, height: 1080 });
    },
    "screenshot@fullPage takes the whole page": async () => {
      const { screenshot } = await scraped("/images", { formats: ["screenshot@fullPage"] }, "v1");
      expect((await pictureAt(screenshot)).height).toBeGreaterThan(1080);
    },
    "take one kind of screenshot": refuses(
      { formats: ["screenshot", "screenshot@fullPage"] },
      ["formats"],
      "You may only specify either screenshot or screenshot@fullPage",
    ),
    "are no objects": refuses({ formats: [{ type: "markdown" }] }, ["formats", 0]),
  },
  parsePDF: {
    "reads the text of a PDF, or hands the file over": async ({ scraped }) => {
      expect((await scraped("/example.pdf")).markdown).toContain("Costs and funding");
      expect((await scraped("/example.pdf", { parsePDF: true })).markdown).toContain("Costs and funding");
      const { markdown, metadata } = await scraped("/example.pdf", { parsePDF: false });
      expect(markdown).toMatch(/^JVBER/);
      expect(metadata.creditsUsed).toBe(1);
    },
  },
  geolocation: {
    "is the old name of location, which wins": async ({ scraped }) => {
      const [german, french] = [{ languages: ["de"] }, { languages: ["fr"] }];
      expect((await scraped("/languages", { geolocation: german })).markdown).toContain("Willkommen");
      expect((await scraped("/languages", { geolocation: german, location: french })).markdown).toContain("Bienvenue");
    },
  },
  actions: {
    "are those of version 2": async ({ scraped }) => {
      const { markdown } = await scraped("/app/buttons", {
        actions: [{ type: "click", selector: ".shutter" }],
        ...WHOLE,
      });
      expect(markdown).toContain("herring");
    },
  },
  extract: {
    "fills a schema under its own name, and comes with its format": async ({ scraped }) => {
      const extract = { mode: "llm", schema: NAMED, systemPrompt: "Be brief", temperature: 0 };
      const document = await scraped("/shop/storm-lantern", { formats: ["extract", "markdown"], extract });
      expect(document.extract).toEqual({ name: "Storm lantern" });
      expect(Object.keys(document)).not.toContain("json");
      expect(Object.keys(document)).not.toContain("evidence");
    },
    "is refused without its format": refuses({ extract: { schema: NAMED } }, ["formats"], BOTH),
  },
  jsonOptions: {
    "fill a schema": async ({ scraped }) => {
      const jsonOptions = { schema: NAMED, evidence: true };
      const document = await scraped("/shop/storm-lantern", { formats: ["json"], jsonOptions });
      expect(document.json).toEqual({ name: "Storm lantern" });
      expect(document.evidence).toMatchObject([{ field: "name", quote: "Storm lantern" }]);
    },
    "are needed by their format": refuses({ formats: ["json"] }, ["jsonOptions"], BOTH),
  },
  changeTrackingOptions: {
    "are the options of the format": async ({ scraped }) => {
      const page = fresh("/counter");
      const options = {
        formats: ["markdown", "changeTracking"],
        changeTrackingOptions: { modes: ["git-diff"], tag: "v1" },
        ...WHOLE,
      };
      expect((await scraped(page, options)).changeTracking?.changeStatus).toBe("new");
      expect((await scraped(page, options)).changeTracking?.diff?.text).toContain("+++ current.md");
    },
    "are refused without it": refuses({ changeTrackingOptions: { modes: [] } }, ["formats"], "changeTracking format"),
  },
  agent: later("agent", { model: "fire-1", prompt: "Click" }),
};

describe("version 1", () => {
  // Version 2 has all of these: `scrape-options.test.ts`.
  const isOfBoth = (field: string): boolean =>
    field in SHARED && V1_FIELDS[field] === SHARED[field as keyof typeof SHARED];
  describe.each(Object.entries(V1_FIELDS))("%s", (field, effects) => {
    const isShort = ([sentence]: [string, unknown]): boolean => !isOfBoth(field) && !sentence.includes("whole page");
    for (const { tags, entries } of shortAndLong(Object.entries(effects), isShort))
      test.each(entries)("%s", { tags }, (_sentence, show) => show(api("v1")));
  });

  test("accepts no field without a test", async () => {
    const { components } = JSON.parse((await call("/openapi.json")).text);
    expect(Object.keys(V1_FIELDS).toSorted()).toEqual(
      Object.keys(components.schemas.V1ScrapeRequest.properties).toSorted(),
    );
  });

  test.each(["parsers", "redactPII"])("knows no %s", async (field) => {
    const { status, body } = await scrape("/final", { [field]: [] }, "v1");
    expect(status).toBe(400);
    expect(body.error).toContain("Unrecognized key in body");
  });

  test("checks certificates unless told otherwise", async () => {
    const site = await startTlsSite();
    try {
      expect((await scrape(site.url, {}, "v1")).body.code).toBe("SCRAPE_SSL_ERROR");
    } finally {
      await site.close();
    }
  });

  test("shares the cache with version 2", async () => {
    const page = fresh("/counter");
    await scraped(page, { maxAge: undefined }, "v1");
    await cached(page);
    const { metadata, markdown } = await scraped(page, { maxAge: undefined, ...WHOLE }, "v2");
    expect(metadata.cacheState).toBe("hit");
    expect(markdown).toContain("**1** times");
  });
});
