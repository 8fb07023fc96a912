import { afterAll, beforeAll, expect, test } from "vitest";
import { Meter } from "../../../../src/core/account/meter.ts";
import type { RecognisedPage } from "../../../../src/core/ocr/recognised-page.ts";
import { createOriginFetch } from "../../../../src/platform/outbound/guarded-fetch.ts";
import { createLanguageModel } from "../../../../src/platform/language-model/language-model.ts";
import { withVision } from "../../../../src/platform/language-model/with-vision.ts";
import type { OcrEngine, OcrRequest, PageDrawer } from "../../../../src/ports/ocr-engine.ts";
import { given } from "../../../fakes/given.ts";
import { startScriptedModel, type Script, type ScriptedModel } from "../../../fakes/upstream/scripted-model.ts";

let server: ScriptedModel;
beforeAll(async () => {
  server = await startScriptedModel(["text"]);
});
afterAll(() => server.close());

const JPEG = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0]);

function page(pageNumber: number, confidence: number, isBlank = false): RecognisedPage {
  return { pageNumber, width: 595, height: 842, rotation: 0, isBlank, confidence, lines: [] };
}

/** An engine with these pages, which offers their pictures as the browser does. */
function engineOf(pages: readonly RecognisedPage[]): OcrEngine & PageDrawer & { drawn: number[] } {
  const drawn: number[] = [];
  return {
    drawn,
    languages: ["eng"],
    async recognise({ pictures }) {
      for (const each of pages) {
        if (pictures?.wants(each) !== true) continue;
        drawn.push(each.pageNumber);
        await pictures.take(each, JPEG);
      }
      return { pages: [...pages] };
    },
    async draw({ parts, take }) {
      for (const part of parts) await take(part, JPEG);
      return undefined;
    },
  };
}

function modelFor(script: Script, meter: Meter) {
  server.script(script);
  server.requests.length = 0;
  return createLanguageModel({
    server: { kind: "openai", baseUrl: server.url, apiKey: undefined },
    names: { large: "seer", small: "seer" },
    contextTokens: 30_000,
    dollarsAMillion: { input: 1, output: 4 },
    fetcher: createOriginFetch(server.url),
    clock: { now: () => Date.now() },
    meter,
    sleep: () => Promise.resolve(),
  });
}

function read(script: Script, pages: readonly RecognisedPage[], more: Partial<OcrRequest> = {}) {
  const meter = new Meter();
  const model = modelFor(script, meter);
  const engine = engineOf(pages);
  const recognition = withVision(engine, model).recognise({
    kind: "pdf",
    contentType: "application/pdf",
    bytes: new Uint8Array(),
    pages: pages.map(({ pageNumber }) => pageNumber),
    mode: "auto",
    deadlineMs: Date.now() + 100_000,
    ...more,
  });
  return { recognition, engine, meter };
}

test("a page of low confidence is sent as a picture, and its markdown and cost come back", async () => {
  const { recognition, engine, meter } = read(
    ["```markdown\n# Quay 4\n```"],
    [page(1, 0.9), page(2, 0.4), page(3, 0, true)],
  );
  const { pages, unseen } = await recognition;
  expect(engine.drawn).toEqual([2]);
  expect(pages.map(({ vision }) => vision)).toEqual([undefined, { markdown: "# Quay 4", isCut: false }, undefined]);
  expect(unseen).toBeUndefined();
  expect(server.requests).toHaveLength(1);
  expect(server.requests[0]?.model).toBe("seer");
  expect(server.requests[0]?.messages.at(-1)?.content).toEqual([
    { type: "text", text: "Transcribe this page." },
    { type: "image_url", image_url: { url: `data:image/jpeg;base64,${Buffer.from(JPEG).toString("base64")}` } },
  ]);
  expect(meter.counts).toMatchObject({ modelCalls: 1, modelInputTokens: 100, modelNanoDollars: 180_000 });
});

test("mode ocr has every page read that shows something", async () => {
  const { recognition, engine } = read(["[no text]"], [page(1, 0.9), page(2, 0, true), page(3, 0.8)], { mode: "ocr" });
  const { pages } = await recognition;
  expect(engine.drawn).toEqual([1, 3]);
  expect(pages[0]?.vision).toEqual({ markdown: "", isCut: false });
});

test("a model that fails leaves the pages with the text of OCR, and is not asked for ever", async () => {
  const some = Array.from({ length: 12 }, (_, at) => page(at + 1, 0.3));
  const { recognition } = read([{ status: 400 }], some);
  const { pages, unseen } = await recognition;
  expect(pages).toEqual(some);
  expect(unseen).toEqual({
    pages: some.map(({ pageNumber }) => pageNumber),
    reason: "The language model did not answer: it answered with status 400",
  });
  expect(server.requests.length).toBeLessThanOrEqual(5);
});

test("the deadline ends readings that have begun; the others stay", async () => {
  const { recognition } = read(
    (_, number) => (number === 0 ? "one" : { text: "two", delayMs: 5_000 }),
    [page(1, 0.3), page(2, 0.3)],
    {
      deadlineMs: Date.now() + 1_000,
    },
  );
  const { pages, unseen } = await recognition;
  expect(pages.map(({ vision }) => vision?.markdown)).toEqual(["one", undefined]);
  expect(unseen).toMatchObject({ pages: [2], reason: "The language model did not answer in time" });
});

test("at most 100 pages of a file are sent", async () => {
  const some = Array.from({ length: 102 }, (_, at) => page(at + 1, 0.3));
  const { recognition } = read(["text"], some);
  expect((await recognition).unseen).toEqual({ pages: [101, 102], reason: "it reads at most 100 pages of a file" });
  expect(server.requests).toHaveLength(100);
});

test("figures are described in their order, up to fifty of a file", async () => {
  const figures = Array.from({ length: 52 }, (_, at) => {
    return { pageNumber: at + 1, rotation: 0 as const, bbox: [0, 0, 100, 50] as [number, number, number, number] };
  });
  const model = modelFor((_, number) => (number === 1 ? { status: 400 } : ` Picture ${number} `), new Meter());
  const request = { bytes: new Uint8Array(), figures, deadlineMs: Date.now() + 100_000 };
  const { texts, reason } = given(await withVision(engineOf([]), model).describe?.(request));
  expect(texts).toHaveLength(52);
  expect(texts[0]).toBe("Picture 0");
  expect(texts.filter((text) => text === undefined)).toHaveLength(3);
  expect(reason).toBe("The language model did not answer: it answered with status 400");
  expect(server.requests).toHaveLength(50);
});

test("a caller that leaves ends the calls of the model, and no further ones are made", async () => {
  const left = new AbortController();
  const model = modelFor(() => {
    left.abort(new Error("The caller has left"));
    return { text: "late", delayMs: 5_000 };
  }, new Meter());
  const pages = [1, 2, 3, 4, 5].map((number) => page(number, 0.3));
  const engine = engineOf(pages);
  const startedMs = Date.now();
  const request = {
    kind: "pdf",
    contentType: "application/pdf",
    bytes: new Uint8Array(),
    pages: [1, 2, 3, 4, 5],
  } as const;
  const asked = { ...request, mode: "auto", deadlineMs: Date.now() + 100_000 } as const;
  const { unseen } = await withVision(engine, model, left.signal).recognise(asked);
  expect(unseen?.pages).toEqual([1, 2, 3, 4, 5]);
  expect(server.requests.length).toBeLessThanOrEqual(3);
  expect(Date.now() - startedMs).toBeLessThan(4_000);
});
