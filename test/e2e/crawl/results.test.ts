import { describe, expect, test } from "vitest";
import { inject } from "../inject.ts";
import { shortAndLong } from "../../sample.ts";
import { call, fresh, scrape, scraped } from "../client.ts";
import { makeKey } from "../account/make-key.ts";
import { pictureAt } from "../sessions/picture-at.ts";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const OTHER_TEAM = "5d0f3c52-64a3-4b2f-9a5e-0c8a2f5f7a11";

const read = (id: string | undefined, version = "v2", key = inject("apiKey")) =>
  call(`/${version}/scrape/${id}`, { service: { url: inject("serviceUrl"), key } });

/** An answer without its receipt, which only the work itself has. */
const documentOf = (text: string): string => text.replace(/,"receipt":\{.*\}(?=\}$)/, "");

describe.each(["v1", "v2"] as const)("a scrape of %s", (version) => {
  const pages = [
    { what: "a page", page: "/articles/seagrass", options: { formats: ["markdown", "links", "html"] } },
    { what: "a page in another script", page: "/encoding/shift_jis", options: { formats: ["markdown", "rawHtml"] } },
    { what: "a document too long for a row", page: "/many-links?n=4000", options: { formats: ["rawHtml", "links"] } },
    { what: "a page that is not there", page: "/missing", options: {} },
    { what: "a PDF", page: "/example.pdf", options: {} },
  ];
  // Both versions read it in the same way.
  const isShort = ({ what }: { what: string }) => version === "v2" || !what.includes("too long");
  for (const { tags, entries } of shortAndLong(pages, isShort))
    test.each(entries)("is read back byte for byte: $what", { tags }, async ({ page, options }) => {
      const posted = await scrape(page, options, version);
      const id = posted.body.data.metadata.scrapeId;
      expect(id).toMatch(UUID_V7);
      const got = await read(id, version);
      expect(got.status).toBe(200);
      expect(got.text).toBe(documentOf(posted.text));
    });

  test("is found by the id that it was given, and by no other", async () => {
    const [one, two] = [await scraped("/final", {}, version), await scraped("/final", {}, version)];
    expect(one.metadata.scrapeId).not.toBe(two.metadata.scrapeId);
    const got = await read(one.metadata.scrapeId, version);
    expect(got.body.data.metadata.scrapeId).toBe(one.metadata.scrapeId);
  });

  test("is not found by what is no id", async () => {
    const { status, body } = await read("not-an-id", version);
    expect(status).toBe(400);
    expect(body).toEqual({ success: false, error: "Invalid job ID format. Job ID must be a valid UUID." });
  });

  test("is not found when there is none", async () => {
    const { status, body } = await read(crypto.randomUUID(), version);
    expect(status).toBe(404);
    expect(body).toEqual({ success: false, error: "Job not found." });
  });

  test("is for the team's keys alone", async () => {
    const { metadata } = await scraped("/final", {}, version);
    const stranger = await makeKey({ name: "stranger", teamId: OTHER_TEAM });
    const { status, body } = await read(metadata.scrapeId, version, stranger);
    expect(status).toBe(404);
    expect(body).toEqual({ success: false, error: "Job not found." });
    const colleague = await makeKey({ name: "colleague" });
    expect((await read(metadata.scrapeId, version, colleague)).status).toBe(200);
  });

  test("is kept as it was when the page changes", async () => {
    const page = fresh("/changing");
    const posted = await scrape(page, {}, version);
    await scrape(page, {}, version);
    expect((await read(posted.body.data.metadata.scrapeId, version)).text).toBe(documentOf(posted.text));
  });
});

test("both versions read each other's scrapes", async () => {
  const posted = await scrape("/final", {}, "v1");
  expect((await read(posted.body.data.metadata.scrapeId, "v2")).text).toBe(documentOf(posted.text));
});

test("an upload is read back like a scrape", async () => {
  const form = new FormData();
  form.set("file", new File(["# Log\n"], "log.html", { type: "text/html" }));
  const posted = await call("/v2/parse", { body: form });
  expect((await read(posted.body.data.metadata.scrapeId)).text).toBe(documentOf(posted.text));
});

describe("a screenshot's URL", () => {
  test("is served without a key, and cannot run anything", async () => {
    const { screenshot } = await scraped("/final", { formats: ["screenshot"] });
    expect(await pictureAt(screenshot)).toMatchObject({ contentType: "image/png" });
    const { headers } = await fetch(screenshot ?? "");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
  });

  test("leads back to where the caller reached the service", async () => {
    const { port } = new URL(inject("serviceUrl"));
    const service = { url: `http://127.0.0.1:${port}`, key: inject("apiKey") };
    const body = { url: `${inject("siteUrl")}/final`, formats: ["screenshot"] };
    const headers = { "x-forwarded-proto": "https" };
    const answer = await call("/v2/scrape", { body, service, headers });
    expect(answer.body.data.screenshot).toMatch(new RegExp(`^https://127\\.0\\.0\\.1:${port}/v2/files/`));
  });

  test.each([
    ["its last digit changed", (url: string) => url.slice(0, -1) + (url.endsWith("0") ? "1" : "0")],
    [
      "its first digit changed",
      (url: string) => url.replace(/-([0-9a-f])([0-9a-f]{63})$/, (_, a, b) => `-${a === "0" ? "1" : "0"}${b}`),
    ],
    ["another day", (url: string) => url.replace(/\d{4}-\d{2}-\d{2}-/, "2031-01-01-")],
    ["a digit less", (url: string) => url.slice(0, -1)],
    ["capital letters", (url: string) => url.replace(/[0-9a-f]{64}$/, (token) => token.toUpperCase())],
    ["no token", (url: string) => url.replace(/[^/]*$/, "x")],
    ["a way out of the folder", (url: string) => url.replace(/[^/]*$/, "..%2Fpages%2F")],
  ])("is not found with %s", async (_change, tamper) => {
    const { screenshot = "" } = await scraped("/final", { formats: ["screenshot"], maxAge: 60_000 });
    const response = await fetch(tamper(screenshot));
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ success: false, error: "This file does not exist or has expired" });
  });
});

describe("a repeat with the same idempotency key", () => {
  test.each(["/v1/scrape", "/v2/scrape", "/v1/map", "/v2/map", "/v2/search"])(
    "gets the first answer of %s, and costs nothing",
    async (path) => {
      const headers = { "x-idempotency-key": crypto.randomUUID() };
      const key = await makeKey({ name: "repeats", monthlyCredits: 100 });
      const service = { url: inject("serviceUrl"), key };
      const url = `${inject("siteUrl")}${fresh("/final")}`;
      const body = path.endsWith("search") ? { query: "gulls" } : { url };
      const first = await call(path, { body, headers, service });
      expect(first.status).toBe(200);
      const used = async () => {
        const { text } = await call("/v2/team/credit-usage", { service });
        return (JSON.parse(text) as { data: { remainingCredits: number } }).data.remainingCredits;
      };
      const before = await used();
      const again = await call(path, { body, headers, service });
      expect(again).toMatchObject({ status: 200, text: first.text });
      expect(await used()).toBe(before);
      expect((await call(path, { body: { ...body, limit: 7 }, headers, service })).status).toBe(409);
    },
  );
});
