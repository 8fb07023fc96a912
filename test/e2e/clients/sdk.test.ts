import { readFile } from "node:fs/promises";
import { Firecrawl, FirecrawlAppV1, SdkError, type Document, type FormatOption } from "firecrawl";
import { beforeAll, describe, expect, test } from "vitest";
import { inject } from "../inject.ts";
import { sitePage } from "../client.ts";
import { shortAndLong } from "../../sample.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let client: Firecrawl;
beforeAll(() => {
  client = new Firecrawl({ apiKey: inject("apiKey"), apiUrl: inject("serviceUrl") });
});

/** The error with which the SDK rejects. */
async function rejection(promise: Promise<unknown>): Promise<SdkError> {
  const error = await promise.then(
    (value) => new Error(`It resolved with ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof SdkError) return error;
  throw error;
}

describe("the JavaScript SDK", () => {
  test("scrapes a page to markdown with its metadata", async () => {
    const { markdown, metadata, ...rest } = await client.scrape(sitePage("/articles/seagrass"));
    expect(markdown).toContain("# ");
    expect(markdown).toContain("seagrass");
    expect(rest).toEqual({});
    expect(metadata).toMatchObject({
      title: "Sowing a meadow under three metres of water | Harrow Bay",
      sourceURL: sitePage("/articles/seagrass"),
      url: sitePage("/articles/seagrass"),
      statusCode: 200,
      proxyUsed: "basic",
      creditsUsed: 1,
      contentType: "text/html; charset=utf-8",
      language: "en-GB",
    });
    expect(metadata?.["scrapeId"]).toMatch(UUID);
  });

  test("tells what a page says about itself", async () => {
    const { metadata } = await client.scrape(sitePage("/metadata"));
    expect(metadata).toMatchObject({
      title: "The harbour in one card",
      description: "Everything a machine may want to know about Harrow Bay., A second description.",
      language: "en-GB",
      keywords: ["harbour, tides, ferry", "bell, seagrass"],
      robots: "index, follow, max-image-preview:large",
      favicon: sitePage("/img/32x32/icon.png"),
      ogTitle: "Harrow Bay, the card",
      ogDescription: "A small harbour, described for machines.",
      ogUrl: sitePage("/metadata"),
      ogImage: sitePage("/img/1200x630/card.png"),
      ogLocaleAlternate: ["cy_GB", "fr_FR"],
      ogSiteName: "Harrow Bay",
      publishedTime: "2024-02-09T06:30:00Z",
      dcTermsAudience: "Skippers",
      citation_author: ["Marrow, Edith", "Pell, Jonas"],
    });
  });

  const bare = ["markdown", "html", "rawHtml", "links", "images", "screenshot"] as const;
  for (const { tags, entries } of shortAndLong(bare, (type) => type === "links"))
    test.each(entries)("gives %s the same keys as a string and as an object", { tags }, async (type) => {
      const asString = await client.scrape(sitePage("/images"), { formats: [type], maxAge: 0 });
      const asObject = await client.scrape(sitePage("/images"), { formats: [{ type }], maxAge: 0 });
      expect(Object.keys(asString).toSorted()).toEqual([type, "metadata"].toSorted());
      expect(Object.keys(asObject)).toEqual(Object.keys(asString));
      expect(namesOf(asObject.metadata)).toEqual(namesOf(asString.metadata));
      expect(contentOf(asString, type)).not.toHaveLength(0);
    });

  test("gives all formats at once, strings and objects mixed", { tags: ["long"] }, async () => {
    const formats: FormatOption[] = [
      "markdown",
      { type: "html" },
      "rawHtml",
      { type: "links" },
      "images",
      { type: "screenshot", fullPage: true },
      { type: "attributes", selectors: [{ selector: "img#plain", attribute: "width" }] },
    ];
    const { metadata, ...rest } = await client.scrape(sitePage("/images"), { formats });
    expect(Object.keys(rest).toSorted()).toEqual([...bare, "attributes"].toSorted());
    expect(rest.attributes).toEqual([{ selector: "img#plain", attribute: "width", values: ["320"] }]);
    expect(metadata?.title).toBe("Pictures of the harbour | Harrow Bay");
  });

  test("rejects for an unknown option with the issues", async () => {
    const options = { onlyMainContents: true } as object;
    const error = await rejection(client.scrape(sitePage("/final"), options));
    expect(error).toMatchObject({ status: 400, code: "BAD_REQUEST" });
    expect(error.message).toContain("Unrecognized key in body");
    expect(error.details).toEqual([
      expect.objectContaining({ code: "unrecognized_keys", keys: ["onlyMainContents"], path: [] }),
    ]);
  });

  test("rejects for a bad key with 401", async () => {
    const stranger = new Firecrawl({ apiKey: `fc-${"0".repeat(32)}`, apiUrl: inject("serviceUrl") });
    const error = await rejection(stranger.scrape(sitePage("/final")));
    expect(error).toMatchObject({ status: 401, message: expect.stringContaining("Unauthorized: Invalid token") });
  });

  test("resolves for a page that answers 404", async () => {
    const { markdown, metadata } = await client.scrape(sitePage("/missing"));
    expect(metadata).toMatchObject({ statusCode: 404, error: "Not Found" });
    expect(markdown).not.toBe("");
  });

  test("rejects for a host that does not resolve, with its code", async () => {
    const error = await rejection(client.scrape("http://no-such-host.invalid/"));
    expect(error).toMatchObject({ status: 200, code: "SCRAPE_DNS_RESOLUTION_ERROR" });
  });

  test("rejects for a page that is too slow", async () => {
    const error = await rejection(client.scrape(sitePage("/slow?ms=20000"), { timeout: 1000 }));
    expect(error).toMatchObject({ status: 408, code: "SCRAPE_TIMEOUT" });
  });

  test("reads an uploaded file", { tags: ["long"] }, async () => {
    const data = await readFile(`${import.meta.dirname}/../../fixtures/documents/sample.docx`);
    const { markdown, html, metadata } = await client.parse(
      { data, filename: "sample.docx" },
      { formats: ["markdown", "html"] },
    );
    expect(markdown?.length).toBeGreaterThan(100);
    expect(html).toContain("<h1>");
    expect(metadata).toMatchObject({ sourceURL: "sample.docx", statusCode: 200, creditsUsed: 1 });
  });

  test("is told why an upload cannot be read", async () => {
    const file = { data: new Uint8Array([1, 2, 3]), filename: "song.mp3", contentType: "audio/mpeg" };
    expect(await rejection(client.parse(file))).toMatchObject({ status: 400, code: "UNSUPPORTED_FILE_TYPE" });
  });
});

describe("the JavaScript SDK's version 1 client", () => {
  test("scrapes a page", async () => {
    const answer = await client.v1.scrapeUrl(sitePage("/articles/seagrass"), { formats: ["markdown", "links"] });
    expect(answer).toMatchObject({
      success: true,
      markdown: expect.stringContaining("seagrass"),
      metadata: { sourceURL: sitePage("/articles/seagrass"), statusCode: 200 },
    });
    expect(answer.success && answer.links?.length).toBeGreaterThan(3);
  });

  test("takes a picture of the whole page", { tags: ["long"] }, async () => {
    const app = new FirecrawlAppV1({ apiKey: inject("apiKey"), apiUrl: inject("serviceUrl") });
    const answer = await app.scrapeUrl(sitePage("/final"), { formats: ["screenshot@fullPage"] });
    expect(answer.success && answer.screenshot).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v2\/files\//);
  });

  test("rejects what the service refuses, with its words", async () => {
    await expect(client.v1.scrapeUrl(sitePage("/slow?ms=20000"), { timeout: 1000 })).rejects.toMatchObject({
      statusCode: 408,
    });
    await expect(client.v1.scrapeUrl(sitePage("/final"), { formats: ["extract"] })).rejects.toThrow(
      "When 'extract' or 'json' format is specified",
    );
  });

  test.each(["extract", "json"] as const)("gets data under the name that it asked for: %s", async (format) => {
    const schema = { type: "object", properties: { name: { type: "string" }, price: { type: "number" } } };
    // The client's types want a zod schema, and take JSON Schema as well.
    const options = { formats: [format], [format === "extract" ? "extract" : "jsonOptions"]: { schema } } as object;
    const answer: object = await client.v1.scrapeUrl(sitePage("/shop/storm-lantern"), options);
    expect(answer).toMatchObject({ [format]: { name: "Storm lantern", price: expect.any(Number) } });
    expect(Object.keys(answer)).not.toContain(format === "extract" ? "json" : "extract");
  });
});

/** Only the first scrape that needs a browser waits for it. */
function namesOf(metadata: Document["metadata"]): string[] {
  return Object.keys(metadata ?? {}).filter((name) => name !== "concurrencyQueueDurationMs");
}

function contentOf(document: Document, type: "markdown" | "html" | "rawHtml" | "links" | "images" | "screenshot") {
  return document[type];
}
