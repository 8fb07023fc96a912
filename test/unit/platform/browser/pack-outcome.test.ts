import { expect, test } from "vitest";
import type { EngineOutcome } from "../../../../src/core/scrape/page.ts";
import { packOutcome, unpackOutcome } from "../../../../src/platform/browser/remote/pack-outcome.ts";

const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, index) => index % 251);
const LOADED: EngineOutcome = {
  kind: "loaded",
  page: {
    engine: "browser",
    url: "https://a.example/",
    statusCode: 200,
    headers: { "content-type": "text/html" },
    contentType: "text/html",
    body: `<p>${"Grüße 🐙 ".repeat(3_000)}</p>`,
    screenshot: { bytes: bytes(70_000), contentType: "image/png" },
    actions: {
      screenshots: [{ bytes: bytes(3), contentType: "image/png" }],
      scrapes: [{ url: "https://a.example/", html: "<p>Short</p>" }],
      javascriptReturns: [{ type: "object", value: { mark: 0, parts: [null, { 0: "a" }] } }],
      pdfs: [],
    },
    warnings: ["A warning."],
  },
};

test.each([
  { way: "as the value of a call", max: 1_000_000, isStream: false },
  { way: "as a stream", max: 1_000, isStream: true },
])("a page with files arrives $way as it was", async ({ max, isStream }) => {
  const packed = packOutcome(LOADED, max);
  expect(packed.parts instanceof ReadableStream).toBe(isStream);
  expect(packed.head.length).toBeLessThan(2_000);
  expect(await unpackOutcome(packed)).toEqual(LOADED);
});

test("the cause of a failure arrives as a text", async () => {
  const failure: EngineOutcome = {
    kind: "failed",
    code: "SCRAPE_SITE_ERROR",
    message: "The page could not be read",
    cause: new TypeError("lost"),
  };
  expect(await unpackOutcome(packOutcome(failure))).toEqual({ ...failure, cause: "TypeError: lost" });
});

test("a stream that breaks off is an error", async () => {
  const { head } = packOutcome(LOADED, 1_000);
  const parts = new Response(bytes(100)).body ?? new ReadableStream<Uint8Array>();
  await expect(unpackOutcome({ head, parts })).rejects.toThrow("broke off");
});
