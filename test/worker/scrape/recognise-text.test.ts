import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, inject, test, vi } from "vitest";
import { buildDeps, layFoundation } from "../../../src/compose.ts";
import { createApp } from "../../../src/http/app.ts";
import { createBrowserOcr } from "../../../src/platform/browser/ocr/browser-ocr.ts";
import { Buffer } from "node:buffer";
import { pictureSize } from "../../../src/content/documents/kind/picture-size.ts";
import { given } from "../../fakes/given.ts";
import { LETTER_SIZE, LETTERS, paragraphsOf, wordRecall, type LetterName } from "../../site/letters.ts";
import { makeTextPdf } from "../../site/make-pdf.ts";
import { pictureTiff } from "../../site/picture-tiff.ts";
import { picturePdf, type PdfPicture } from "../../site/picture-pdf.ts";
import { browserBinding, loadPage } from "../browser/browser-helpers.ts";
import { API_KEY as KEY } from "../keys.ts";

const SERVICE = "http://service.example";
const TIMEOUT_MS = 120_000;

interface Document {
  markdown: string;
  warning?: string;
  pages?: { pageNumber: number; markdown: string }[];
  figures?: object[];
  metadata: Record<string, unknown>;
}
interface Answer {
  success: boolean;
  code?: string;
  error?: string;
  data: Document;
  receipt: { browserMs: number; modelTokens: { input: number; output: number }; nanoDollars: number };
}

let served: { bytes: Uint8Array<ArrayBuffer>; type: string };
let deferred: Promise<unknown>[] = [];

/** What the model was sent, and its next answer, in the form of OpenAI's chat completions. */
const model = { pictures: [] as string[], answer: "" };

async function answerOfModel(request: Request): Promise<Response> {
  const { messages } = (await request.json()) as { messages: { content: { image_url?: { url: string } }[] }[] };
  model.pictures.push(...(messages.at(-1)?.content.flatMap(({ image_url: picture }) => picture?.url ?? []) ?? []));
  const message = { role: "assistant", content: model.answer };
  return Response.json({
    id: "1", object: "chat.completion", created: 0, model: "seer",
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage: { prompt_tokens: 1_200, completion_tokens: 300 },
  }); // prettier-ignore
}

beforeEach(() => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as RequestInfo, init as RequestInit);
    const { hostname } = new URL(request.url);
    if (hostname === "models.example") return await answerOfModel(request);
    if (hostname !== "scans.example") return Response.json({ Status: 0, Answer: [{ type: 1, TTL: 60, data: "93.184.215.14" }] }); // prettier-ignore
    return new Response(served.bytes, { headers: { "content-type": served.type } });
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(deferred);
  deferred = [];
});

const settings = { ...env, API_KEY: KEY, BROWSER_MAX_BROWSERS: "1" } as never;

const WITH_VISION = {
  LLM_BASE_URL: "http://models.example/v1", LLM_VISION_MODEL: "seer",
  LLM_VISION_INPUT_DOLLARS: "1", LLM_VISION_OUTPUT_DOLLARS: "4",
}; // prettier-ignore

async function ask(path: string, body: unknown, more: object = {}): Promise<{ status: number; body: Answer }> {
  const bound = Object.assign({}, settings, more);
  const app = createApp(({ url }) => buildDeps(layFoundation(bound), { url }, (work) => void deferred.push(work)));
  const isForm = body instanceof FormData;
  const response = await app.request(`${SERVICE}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, ...(isForm ? {} : { "content-type": "application/json" }) },
    body: isForm ? body : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

function scrape(bytes: Uint8Array<ArrayBuffer>, type: string, options: object = {}, more: object = {}) {
  served = { bytes, type };
  return ask("/v2/scrape", { url: "https://scans.example/file", timeout: TIMEOUT_MS, maxAge: 0, ...options }, more);
}

/** The paragraph of each letter that its pictures show: each word that is recognised takes some 20 ms of processor time. */
const SHOWN: Record<LetterName, number> = { eng: 0, deu: 1 };
const recall = (name: LetterName, text: string): number => wordRecall(name, text, SHOWN[name]);

const pictures = new Map<string, Promise<PdfPicture>>();
/** The part of a letter that its title and paragraph fill. */
const WRITTEN_SIZE = { ...LETTER_SIZE, height: 640 };

/** The picture of a letter, or of the part of it that is written on, as a browser draws it. */
function pictureOf(name: LetterName, size = LETTER_SIZE): Promise<PdfPicture> {
  const key = `${name} ${size.height}`;
  const drawn = pictures.get(key) ?? draw(name, 80, size);
  pictures.set(key, drawn);
  return drawn;
}

async function draw(name: LetterName, quality: number | undefined, size = LETTER_SIZE): Promise<PdfPicture> {
  const screenshot = { fullPage: false, viewport: size, ...(quality === undefined ? {} : { quality }) };
  const page = await loadPage(`${inject("siteUrl")}/letter/${name}?paragraph=${SHOWN[name]}`, { screenshot });
  const { bytes } = given(page.screenshot);
  return { bytes, filter: "DCTDecode", ...size };
}

for (const angles of [[270], [90, 180]])
  test.each([{ angles }])(
    "a scan that is turned by $angles degrees is read, and its page without anything is named",
    { tags: ["long"], timeout: 240_000 },
    async ({ angles }) => {
      const picture = await pictureOf("eng");
      const scanned = [{}, ...angles.map((turned) => ({ picture, turned }))];
      const parsers = [{ type: "pdf", pages: true }];
      const { status, body } = await scrape(picturePdf(scanned), "application/pdf", { parsers });
      expect(status, JSON.stringify(body).slice(0, 300)).toBe(200);
      const { pages = [], warning, metadata } = body.data;
      const [, ...turned] = pages;
      expect(turned).toHaveLength(angles.length);
      for (const [at, { markdown }] of turned.entries()) {
        expect(recall("eng", markdown), `turned by ${angles[at]}`).toBeGreaterThanOrEqual(0.95);
      }
      expect(warning).toBe("Page 1 of the PDF is blank.");
      expect(metadata["numPages"]).toBe(scanned.length);
      expect(body.receipt.browserMs).toBeGreaterThan(0);
    },
  );

test(
  "mode ocr has a vision model read each page, upright, and names what OCR does not have",
  { tags: ["long"], timeout: 240_000 },
  async () => {
    const picture = await pictureOf("eng");
    const { title } = LETTERS.eng;
    model.answer = `## ${title}\n\n${paragraphsOf("eng", SHOWN.eng).join("\n\n")}\n\nSigned: Hutchinson, 4711`;
    const { status, body } = await scrape(
      picturePdf([{ picture, turned: 90 }]),
      "application/pdf",
      { parsers: [{ type: "pdf", mode: "ocr" }] },
      WITH_VISION,
    );
    expect(status, JSON.stringify(body).slice(0, 300)).toBe(200);
    expect(body.data.markdown).toBe(model.answer);
    expect(body.data.warning).toBe(
      'On page 1, the vision model wrote what OCR and the text layer do not have: "4711", "Signed", "Hutchinson".',
    );
    expect(body.receipt.modelTokens).toEqual({ input: 1_200, output: 300 });
    expect(body.receipt.nanoDollars).toBeGreaterThanOrEqual(2_400_000);
    const [jpeg = ""] = model.pictures;
    const { width, height } = given(pictureSize(Buffer.from(jpeg.replace(/^[^,]*,/, ""), "base64")));
    expect(width).toBeLessThan(height);
    expect(width * height).toBeLessThanOrEqual(2_000_000);
  },
);

test(
  "text that a vision model made up is left out where a short text layer contradicts it",
  { tags: ["long"], timeout: 120_000 },
  async () => {
    const lines = ["The harbour office closes at six o'clock.", "Ships that arrive later wait outside the lock."];
    const pdf = new Uint8Array(makeTextPdf("Notice", [{ heading: "Notice to masters", lines }]));
    const parsers = [{ type: "pdf", mode: "ocr" }];
    model.answer = "## Quarterly results\n\nRevenue grew by 12 percent to 48 million dollars in the third quarter.";
    const invented = await scrape(pdf, "application/pdf", { parsers }, WITH_VISION);
    expect(invented.body.data.markdown).toContain("Ships that arrive later wait outside the lock.");
    expect(invented.body.data.markdown).not.toContain("Revenue");
    expect(invented.body.data.warning).toBe(
      "The vision model's text of page 1 was left out: it is not the text of the page.",
    );
    model.answer = `# Notice to masters\n\n${lines.join(" ")}`;
    const faithful = await scrape(pdf, "application/pdf", { parsers }, WITH_VISION);
    expect(faithful.body.data.markdown).toBe(model.answer);
    expect(faithful.body.data.warning).toBeUndefined();
  },
);

test("figures are listed, drawn and described", { timeout: 120_000 }, async () => {
  const picture = await pictureOf("eng");
  model.answer = "A notice of a harbour.";
  model.pictures = [];
  const content = "q 200 0 0 283 100 400 cm /Im Do Q";
  const parsers = [{ type: "pdf", mode: "fast", figures: true }];
  const { body } = await scrape(picturePdf([{ picture, content }]), "application/pdf", { parsers }, WITH_VISION);
  expect(body.data.figures).toEqual([
    {
      pageNumber: 1,
      bbox: [100, 159, 300, 442],
      width: LETTER_SIZE.width,
      height: LETTER_SIZE.height,
      description: "A notice of a harbour.",
    },
  ]);
  const { width, height } = given(pictureSize(Buffer.from((model.pictures[0] ?? "").replace(/^[^,]*,/, ""), "base64")));
  expect(width / height).toBeCloseTo(200 / 283, 1);
});

test("mode fast reads no scans, and names their pages", async () => {
  const picture = await pictureOf("eng");
  const { body } = await scrape(picturePdf([{ picture }]), "application/pdf", {
    parsers: [{ type: "pdf", mode: "fast" }],
  });
  expect(body.data).toMatchObject({
    markdown: "",
    warning: "The PDF has no text layer (it is made of scanned images).",
  });
});

describe("a picture", () => {
  test("that is uploaded is read in its language, with a heading", { tags: ["long"], timeout: 120_000 }, async () => {
    const { bytes } = await draw("deu", undefined);
    const form = new FormData();
    form.set("file", new Blob([bytes as Uint8Array<ArrayBuffer>], { type: "image/png" }), "letter.png");
    form.set("options", JSON.stringify({ parsers: ["image"], timeout: TIMEOUT_MS }));
    const { status, body } = await ask("/v2/parse", form);
    expect(status, JSON.stringify(body).slice(0, 300)).toBe(200);
    const { markdown, warning } = body.data;
    expect(markdown).toMatch(new RegExp(`^#+ ${LETTERS.deu.title}\n`));
    expect(markdown).toContain("äußere Mole");
    expect(recall("deu", markdown)).toBeGreaterThanOrEqual(0.95);
    expect(warning).toBeUndefined();
  });

  test("is read by its URL when the parser is named, and refused otherwise", { timeout: 120_000 }, async () => {
    const { bytes } = await pictureOf("eng", WRITTEN_SIZE);
    const file = bytes as Uint8Array<ArrayBuffer>;
    const refused = await scrape(file, "image/jpeg");
    expect(refused.body).toMatchObject({ success: false, code: "SCRAPE_UNSUPPORTED_FILE_ERROR" });
    expect(refused.body.error).toContain('parsers: ["image"]');
    const { body } = await scrape(file, "image/jpeg", { parsers: ["image"] });
    expect(recall("eng", body.data.markdown)).toBeGreaterThanOrEqual(0.95);
    expect(body.data.metadata).toMatchObject({ contentType: "image/jpeg", creditsUsed: 1 });
  });

  test("in TIFF is read on all of its pages", { tags: ["long"], timeout: 120_000 }, async () => {
    const { bytes, width, height } = await pictureOf("eng");
    const page = { bytes, width, height };
    const { body } = await scrape(pictureTiff([page, page]), "image/tiff", { parsers: ["image"] });
    expect(body.data.warning).toBeUndefined();
    const half = body.data.markdown.length / 2;
    for (const part of [body.data.markdown.slice(0, half), body.data.markdown.slice(half)])
      expect(recall("eng", part)).toBeGreaterThanOrEqual(0.9);
  });

  test.each([
    {
      why: "breaks off",
      bytes: () => pictureOf("eng", WRITTEN_SIZE).then(({ bytes }) => bytes.slice(0, 300)),
      code: "SCRAPE_DOCUMENT_PREFETCH_FAILED",
    },
    { why: "states more pixels than are read", bytes: () => Promise.resolve(vastPng()), code: "SCRAPE_WORK_LIMIT" },
  ])("that $why fails as $code", async ({ bytes, code }) => {
    const { body } = await scrape((await bytes()) as Uint8Array<ArrayBuffer>, "image/png", { parsers: ["image"] });
    expect(body, body.error).toMatchObject({ success: false, code });
  });
});

/** The header of a PNG of 60,000 × 60,000 pixels. */
function vastPng(): Uint8Array {
  const bytes = Uint8Array.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", (letter) => letter.charCodeAt(0));
  const size = [0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60, 8, 2, 0, 0, 0];
  return Uint8Array.from([...bytes, ...size]);
}

const recogniser = (more: object = {}) =>
  createBrowserOcr({
    binding: browserBinding(),
    pool: env.BROWSER_POOL,
    assets: given(env.ASSETS),
    settings: { maxBrowsers: 1, tabsPerBrowser: 4, warmBrowsers: 1, launchesPerMinute: 600 },
    ...more,
  });
const PDF = { kind: "pdf", contentType: "application/pdf", mode: "auto" } as const;

test(
  "a page that takes too long to be drawn ends the recognition, and its tab is closed",
  { tags: ["long"], timeout: 60_000 },
  async () => {
    const bytes = picturePdf([{ picture: await pictureOf("eng") }]);
    const request = { ...PDF, bytes, pages: [1], deadlineMs: Date.now() + 50_000 };
    const { pages, stopped } = await recogniser({ drawLimitMs: 1 }).recognise(request);
    expect(stopped).toEqual({ code: "SCRAPE_WORK_LIMIT", message: "it takes longer than 0.001 s" });
    expect(pages).toEqual([]);
    await expect.poll(() => env.BROWSER_POOL.getByName("pool").status()).toMatchObject({ leases: 0 });
  },
);

test(
  "a recognition that the deadline stops returns the pages that it has, and gives its browser back",
  { timeout: 60_000 },
  async () => {
    const picture = await pictureOf("eng", WRITTEN_SIZE);
    const bytes = picturePdf(Array.from({ length: 40 }, () => ({ picture })));
    const pages = Array.from({ length: 40 }, (_, at) => at + 1);
    const deadlineMs = Date.now() + 4_000;
    const { pages: read, stopped } = await recogniser().recognise({ ...PDF, bytes, pages, deadlineMs });
    expect(stopped).toEqual({ code: "SCRAPE_TIMEOUT", message: "the time for this page is over" });
    expect(read.length).toBeLessThan(40);
    expect(read.map(({ pageNumber }) => pageNumber)).toEqual(pages.slice(0, read.length));
    expect(await env.BROWSER_POOL.getByName("pool").status()).toMatchObject({ leases: 0 });
  },
);
