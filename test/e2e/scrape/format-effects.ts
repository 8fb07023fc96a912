import { expect } from "vitest";
import { fresh, sitePage } from "../client.ts";
import { refuses, type Effects } from "./option-effects.ts";
import { pictureAt } from "../sessions/picture-at.ts";

const ARTICLE = "/articles/seagrass";

const LANTERN = "/shop/storm-lantern";
const LANTERN_SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string" },
    price: { type: "number" },
    currency: { type: "string" },
    captain: { type: "string" },
  },
  required: ["name", "captain"],
};
/** The service of these tests has no model: what a model would do is done by rules. */
const NO_MODEL = "no language model is configured";

/** What each format brings. That a string equals its object form is shown with the SDK (`sdk.test.ts`). */
export const FORMATS: Effects = {
  "are markdown when none is named": async ({ scraped }) => {
    expect(Object.keys(await scraped(ARTICLE))).toEqual(["markdown", "metadata"]);
  },
  "may be none, which leaves the metadata": async ({ scraped }) => {
    expect(Object.keys(await scraped(ARTICLE, { formats: [] }))).toEqual(["metadata"]);
  },
  "html is the content without scripts, addresses absolute": async ({ scraped }) => {
    const { html } = await scraped("/articles/ferry-timetable", { formats: ["html"] });
    expect(html).toContain("<h2>A timetable nobody wants corrected</h2>");
    expect(html).toContain(`href="${sitePage("/tables")}"`);
    expect(html).not.toMatch(/<script|<style|<head|site-header/);
  },
  "rawHtml is the page as it came": async ({ scraped }) => {
    const { rawHtml } = await scraped("/articles/ferry-timetable", { formats: ["rawHtml"] });
    const response = await fetch(sitePage("/articles/ferry-timetable"));
    expect(rawHtml).toBe(await response.text());
  },
  "rawBase64 is the body's bytes": async ({ scraped }) => {
    const { rawBase64 } = await scraped("/img/64x48/base64", { formats: ["rawBase64"] });
    const response = await fetch(sitePage("/img/64x48/base64"));
    expect(rawBase64).toBe(Buffer.from(await response.arrayBuffer()).toString("base64"));
  },
  "rawBase64 stands alone": refuses(
    { formats: ["rawBase64", "markdown"] },
    ["formats"],
    "The rawBase64 format cannot be combined with other formats",
  ),
  "links are absolute, each once, in the page's order": async ({ scraped }) => {
    const { links = [] } = await scraped("/contact", { formats: ["links"] });
    expect(links).toContain(sitePage("/articles/"));
    expect(links.filter((link) => link.startsWith("mailto:")).length).toBeGreaterThan(0);
    expect(links.filter((link) => link.startsWith("javascript:"))).toEqual([]);
    expect(new Set(links).size).toBe(links.length);
  },
  "images are found wherever a page keeps them": async ({ scraped }) => {
    const { images } = await scraped("/images", { formats: ["images"] });
    const places = {
      "img src": "/img/320x200/mole.png",
      srcset: "/img/1280x800/quay.png",
      "data-src": "/img/640x400/lantern.png",
      "picture source": "/img/1280x400/panorama.png",
      "og:image": "/img/1200x630/card.png",
      "link icon": "/favicon.ico",
      "background-image": "/img/960x200/banner.png",
      "video poster": "/img/640x360/poster.png",
    };
    for (const [place, image] of Object.entries(places)) expect(images, place).toContain(sitePage(image));
    expect(new Set(images).size).toBe(images?.length);
  },
  "screenshot is a PNG of the window": async ({ scraped }) => {
    const { screenshot } = await scraped(ARTICLE, { formats: ["screenshot"] });
    expect(await pictureAt(screenshot)).toEqual({ contentType: "image/png", width: 1920, height: 1080 });
  },
  "screenshot takes fullPage, quality and viewport": async ({ scraped }) => {
    const viewport = { width: 400, height: 300 };
    const small = await scraped(ARTICLE, { formats: [{ type: "screenshot", viewport }] });
    expect(await pictureAt(small.screenshot)).toEqual({ contentType: "image/png", width: 400, height: 300 });
    const whole = await scraped(ARTICLE, { formats: [{ type: "screenshot", viewport, fullPage: true, quality: 40 }] });
    const picture = await pictureAt(whole.screenshot);
    expect(picture).toMatchObject({ contentType: "image/jpeg", width: 400 });
    expect(picture.height).toBeGreaterThan(1000);
  },
  "screenshot comes once": refuses(
    { formats: ["screenshot", { type: "screenshot", fullPage: true }] },
    ["formats"],
    "You may only specify one screenshot format",
  ),
  "attributes are read by selector, data attributes too": async ({ scraped }) => {
    const selectors = [
      { selector: "#picture img", attribute: "alt" },
      { selector: "img#data-src", attribute: "srcset" },
      { selector: "#no-such-element", attribute: "href" },
    ];
    const { attributes } = await scraped("/images", { formats: [{ type: "attributes", selectors }] });
    expect(attributes?.map(({ values }) => values)).toEqual([
      ["The bay from Signal Hill"],
      ["/img/320x200/lantern.png 320w, /img/640x400/lantern.png 640w"],
      [],
    ]);
    expect(attributes).toMatchObject(selectors);
  },
  "json fills a schema with what the page says, and says where": async ({ scraped }) => {
    const formats = [{ type: "json", schema: LANTERN_SCHEMA, evidence: true }, "markdown"];
    const document = await scraped(LANTERN, { formats });
    const { json, evidence = [], warning, metadata, markdown = "" } = document;
    expect(json).toEqual({ name: expect.stringMatching(/lantern/i), price: expect.any(Number), currency: "GBP" });
    expect(evidence.map(({ field }) => field)).toEqual(["name", "price", "currency"]);
    const { place, quote = "" } = evidence.find(({ field }) => field === "name") ?? {};
    expect(place?.in).toBe("markdown");
    expect(markdown.slice(place?.start, place?.end)).toBe(quote);
    expect(warning).toContain(NO_MODEL);
    expect(metadata.creditsUsed).toBe(5);
  },
  "json fills lists from the cards of a listing": async ({ scraped }) => {
    const items = {
      type: "object",
      properties: { name: { type: "string" }, price: { type: "number" }, url: { type: "string" } },
    };
    const schema = { type: "object", properties: { products: { type: "array", items } } };
    const { json } = await scraped("/shop?all=1", { formats: [{ type: "json", schema }] });
    const { products } = json as { products: { name: string; price: number; url: string }[] };
    expect(products).toContainEqual({ name: "Hand lead, 3 kg", price: 36, url: sitePage("/shop/hand-lead") });
    expect(products.length).toBeGreaterThan(10);
  },
  "json is null with a warning when nothing is found": async ({ scraped }) => {
    const schema = { type: "object", properties: { altitude: { type: "number" } } };
    const { json, warning } = await scraped("/final", { formats: [{ type: "json", schema }] });
    expect(json).toBeNull();
    expect(warning).toContain("nothing of what was asked for was found");
  },
  "json refuses a dictionary without properties": async ({ scrape }) => {
    const schema = { type: "object", additionalProperties: true };
    const { status, body } = await scrape("/final", { formats: [{ type: "json", schema }] });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toMatch(/OpenAI.*schema-less dictionary|schema-less dictionary.*OpenAI/);
  },
  "deterministicJson is the same by rules alone": async ({ scraped }) => {
    const { json, metadata, evidence } = await scraped(LANTERN, {
      formats: [{ type: "deterministicJson", schema: LANTERN_SCHEMA }],
    });
    expect(json).toMatchObject({ currency: "GBP" });
    expect(evidence).toBeUndefined();
    expect(metadata.creditsUsed).toBe(3);
  },
  "json and deterministicJson exclude each other": refuses(
    { formats: ["json", "deterministicJson"] },
    ["formats"],
    "The json and deterministicJson formats answer in the same field; ask for one of them",
  ),
  "summary, question, query and highlights quote the page": async ({ scraped }) => {
    const formats = [
      "markdown",
      "summary",
      { type: "question", question: "What happened to the seagrass meadow?" },
      { type: "highlights", query: "seagrass meadow" },
    ];
    const { markdown = "", summary = "", answer = "", highlights = "", warning } = await scraped(ARTICLE, { formats });
    for (const text of [summary, answer, highlights]) {
      expect(text).not.toBe("");
      for (const quote of text.split("\n\n")) expect(markdown).toContain(quote);
    }
    expect(warning).toContain(NO_MODEL);
    const asked = await scraped(ARTICLE, {
      formats: [{ type: "query", prompt: "seagrass meadow", mode: "directQuote" }],
    });
    expect(asked.answer).toBe(highlights);
    expect(asked.metadata.creditsUsed).toBe(5);
  },
  "chunks are passages of the markdown": async ({ scraped }) => {
    const { markdown = "", chunks = [] } = await scraped(ARTICLE, {
      formats: ["markdown", { type: "chunks", maxTokens: 100 }],
    });
    expect(chunks.length).toBeGreaterThan(3);
    for (const { text, start, end, tokens } of chunks) {
      expect(text).toBe(markdown.slice(start, end));
      expect(tokens).toBeLessThanOrEqual(100);
    }
  },
  "product is what a shop's page offers": async ({ scraped }) => {
    const { product } = await scraped(LANTERN, { formats: ["product"] });
    expect(product).toMatchObject({ title: "Storm lantern", url: sitePage(LANTERN) });
    expect(product?.variants[0]?.price).toMatchObject({ amount: expect.any(Number), currency: "GBP" });
    const none = await scraped(ARTICLE, { formats: ["product"] });
    expect(none.product).toBeUndefined();
    expect(none.warning).toContain("product: the page describes no product");
  },
  "branding is what the page looks like": async ({ scraped }) => {
    const { branding } = await scraped("/brand", { formats: ["branding"] });
    expect(branding).toMatchObject({
      colorScheme: "light",
      brandName: "Tidewater Rope Works",
      logo: sitePage("/img/120x40/rope.png"),
      colors: {
        primary: "#C8372D",
        background: "#FDFAF4",
        textPrimary: "#1B2A33",
        link: "#0A6EBD",
        success: "#1D7A46",
        warning: "#B8860B",
        error: "#DC2828",
      },
      typography: {
        fontStacks: { heading: ["Harbour Sans", "Arial", "sans-serif"], body: ["Georgia", "serif"] },
        fontSizes: { h1: "40px", body: "16px", small: "12px" },
        lineHeights: { h1: 1.2, heading: 1.2, body: 1.5 },
      },
      spacing: {
        baseUnit: 8,
        gridGutter: 16,
        padding: { buttonVertical: 8, buttonHorizontal: 16, inputVertical: 8, inputHorizontal: 8 },
        margins: { h1: 16 },
      },
      icons: { style: "outline", primaryColor: "#0A6EBD" },
      tone: { emojiUsage: "none" },
      components: {
        buttonPrimary: { background: "#C8372D", textColor: "#FFFFFF", borderRadius: "8px" },
        buttonSecondary: { textColor: "#C8372D", borderColor: "#C8372D" },
        input: { borderColor: "#99A4AA", borderRadius: "4px" },
      },
      images: { favicon: sitePage("/favicon.ico"), ogImage: sitePage("/img/1200x630/card.png") },
      animations: { transitionDuration: "0.2s", easing: "ease-in" },
      layout: { grid: { columns: 3, maxWidth: "960px" }, headerHeight: "72px", footerHeight: "120px" },
    });
    expect(branding?.colors?.secondary).toMatch(/^#[0-9A-F]{6}$/);
  },
  "menu is what an inn's page serves": async ({ scraped }) => {
    const { menu } = await scraped("/inn/menu", { formats: ["menu"] });
    expect(menu).toMatchObject({ isMenu: true, currency: "GBP", sourceUrl: sitePage("/inn/menu") });
    expect(menu?.sections.map(({ name, items }) => [name, items.length])).toEqual([
      ["Starters", 3],
      ["Mains", 4],
      ["Drinks", 3],
    ]);
    const none = await scraped(ARTICLE, { formats: ["menu"] });
    expect(none.menu).toMatchObject({ isMenu: false, sections: [] });
  },
  "changeTracking tells what has become of a page": async ({ scraped }) => {
    const page = fresh("/counter");
    const tracking = { type: "changeTracking", modes: ["git-diff"], tag: "daily" };
    const options = { formats: ["markdown", tracking], onlyMainContent: false };
    const first = await scraped(page, options);
    expect(first.changeTracking).toEqual({ previousScrapeAt: null, changeStatus: "new", visibility: "visible" });
    expect(first.metadata.cacheState).toBeUndefined();
    const { changeTracking, metadata } = await scraped(page, options);
    expect(changeTracking?.changeStatus).toBe("changed");
    expect(Date.parse(changeTracking?.previousScrapeAt ?? "")).toBeGreaterThan(0);
    expect(changeTracking?.diff?.text).toMatch(/^--- previous.md\n\+\+\+ current.md\n@@ [^]*\n-.*1[^]*\n\+.*2/);
    expect(changeTracking?.diff?.json.files[0]).toMatchObject({ from: "previous.md", to: "current.md" });
    expect(metadata.creditsUsed).toBe(1);
    const other = await scraped(page, { ...options, formats: ["markdown", { ...tracking, tag: "weekly" }] });
    expect(other.changeTracking?.changeStatus).toBe("new");
  },
  "changeTracking knows pages that stay, and pages that are gone": async ({ scraped }) => {
    const formats = ["markdown", "changeTracking"];
    await scraped(ARTICLE, { formats });
    expect((await scraped(ARTICLE, { formats })).changeTracking?.changeStatus).toBe("same");
    expect((await scraped("/status/404", { formats })).changeTracking?.changeStatus).toBe("removed");
  },
  "changeTracking needs markdown": refuses(
    { formats: ["changeTracking"] },
    ["formats"],
    "The changeTracking format requires the markdown format to be specified as well",
  ),
  "that are objects take no unknown keys": async ({ scrape }) => {
    const { status, body } = await scrape("/final", { formats: [{ type: "markdown", tidy: true }] });
    expect({ status, error: body.error }).toEqual({
      status: 400,
      error: 'Bad Request: formats[0]: Unrecognized key: "tidy"',
    });
  },
  "audio and video are refused by their codes, and cost nothing": async ({ scrape }) => {
    for (const type of ["audio", "video"]) {
      const { status, body } = await scrape("/final", { formats: [type] });
      expect([status, body.code]).toEqual([500, `SCRAPE_${type.toUpperCase()}_UNSUPPORTED_URL`]);
      expect(body.error).toContain(type);
    }
  },
};
