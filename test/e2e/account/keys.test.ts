import { Firecrawl, SdkError } from "firecrawl";
import { describe, expect, test } from "vitest";
import { inject } from "../inject.ts";
import { call, sitePage, type Answer } from "../client.ts";
import { makeKey } from "./make-key.ts";

const as = (key: string) => ({ url: inject("serviceUrl"), key });
const scrapeAs = (key: string, page: string, options: object = {}): Promise<Answer> =>
  call("/v2/scrape", { body: { url: sitePage(page), maxAge: 0, ...options }, service: as(key) });

describe("keys", () => {
  test.each([
    { header: undefined, error: "Unauthorized" },
    { header: "Bearer", error: "Unauthorized: Token missing" },
    { header: "Bearer ", error: "Unauthorized: Token missing" },
    { header: "Bearer undefined", error: "Unauthorized: Invalid token" },
    { header: "Bearer fc-short", error: "Unauthorized: Invalid token" },
    { header: `Bearer fc-${"0".repeat(32)}`, error: "Unauthorized: Invalid token" },
  ])("are asked for: $header", async ({ header, error }) => {
    const response = await fetch(`${inject("serviceUrl")}/v2/scrape`, {
      method: "POST",
      headers: header === undefined ? {} : { authorization: header },
    });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect(await response.json()).toEqual({ success: false, error });
  });

  test("are taken with and without dashes", async () => {
    const digits = inject("apiKey").slice(3);
    const dashed = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    expect((await scrapeAs(dashed, "/final")).status).toBe(200);
  });

  test("are made by the admin's key alone, and shown once", async () => {
    const refused = await call("/v2/team/keys", { body: { name: "mine" } });
    expect({ status: refused.status, success: refused.body.success }).toEqual({ status: 403, success: false });
    const key = await makeKey({ name: "shown once" });
    const { text } = await call("/v2/team/keys", { service: as(inject("adminKey")) });
    expect(text).toContain('"name":"shown once"');
    expect(text).not.toContain(key);
  });

  test("end when they are revoked", async () => {
    const admin = as(inject("adminKey"));
    const made = JSON.parse((await call("/v2/team/keys", { body: { name: "short life" }, service: admin })).text) as {
      data: { id: string; key: string };
    };
    expect((await call(`/v2/team/keys/${made.data.id}`, { method: "DELETE", service: admin })).status).toBe(200);
    expect((await scrapeAs(made.data.key, "/final")).status).toBe(401);
    const again = await call(`/v2/team/keys/${crypto.randomUUID()}`, { method: "DELETE", service: admin });
    expect({ status: again.status, error: again.body.error }).toEqual({ status: 404, error: "API key not found" });
  });

  test("may be restricted to endpoints and formats", async () => {
    const reader = await makeKey({ name: "parse only", scopes: { endpoints: ["parse"] } });
    const refused = await scrapeAs(reader, "/final");
    expect(refused.status).toBe(403);
    expect(refused.body.error).toContain("restricted to the following endpoints: parse");
    const linker = await makeKey({ name: "links only", scopes: { formats: ["links"] } });
    expect((await scrapeAs(linker, "/final", { formats: ["links"] })).status).toBe(200);
    const other = await scrapeAs(linker, "/final", { formats: ["links", "html"] });
    expect(other.status).toBe(403);
    expect(other.body.error).toContain("restricted to the following formats: links");
  });
});

describe("limits", () => {
  test("of requests a minute are told in headers, and refused with 429 until they are over", async () => {
    const key = await makeKey({ name: "two a minute", limits: { scrape: 2 } });
    const answers = [await scrapeAs(key, "/final"), await scrapeAs(key, "/final"), await scrapeAs(key, "/final")];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers.map(({ headers }) => headers.get("x-ratelimit-remaining"))).toEqual(["1", "0", "0"]);
    const [, , refused] = answers;
    expect(refused?.body.error).toMatch(/^Rate limit exceeded\./);
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(refused?.headers.get("retry-after"))).toBeLessThanOrEqual(60);
  });

  test("reach the SDK as errors with their status", async () => {
    const key = await makeKey({ name: "one a minute", limits: { scrape: 1 } });
    const client = new Firecrawl({ apiKey: key, apiUrl: inject("serviceUrl") });
    await client.scrape(sitePage("/final"));
    const error = await client.scrape(sitePage("/final")).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SdkError);
    expect(error).toMatchObject({ status: 429, message: expect.stringContaining("Rate limit exceeded.") });
  });

  test("of credits are taken by what was done, and end in 402", async () => {
    const key = await makeKey({ name: "three credits", monthlyCredits: 3 });
    for (const page of ["/access-denied", "/no-such-host"]) {
      const target = page === "/no-such-host" ? "http://no-such-host.invalid/" : sitePage(page);
      await call("/v2/scrape", { body: { url: target, fastMode: true }, service: as(key) });
    }
    await expect.poll(async () => (await scrapeAs(key, "/example.pdf")).status).toBe(200);
    const empty = await scrapeAs(key, "/final");
    expect(empty.status).toBe(402);
    expect(empty.body.error).toMatch(/^Insufficient credits/);
  });

  test("of credits hold for what a document turns out to cost", async () => {
    const key = await makeKey({ name: "two credits", monthlyCredits: 2 });
    expect((await scrapeAs(key, "/example.pdf")).status).toBe(402);
    const parsers = [{ type: "pdf", maxPages: 2 }];
    await expect.poll(async () => (await scrapeAs(key, "/example.pdf", { parsers })).status).toBe(200);
  });
});

describe("teams", () => {
  test(
    "do not wait for each other: a scrape beside a hundred of another team is answered among the first",
    { tags: ["long"] },
    async () => {
      const busy = await makeKey({ name: "busy", teamId: crypto.randomUUID() });
      const quiet = await makeKey({ name: "quiet", teamId: crypto.randomUUID() });
      await Promise.all([busy, quiet].map((key) => scrapeAs(key, "/final")));
      let answered = 0;
      const burst = Array.from({ length: 100 }, async () => {
        const { status } = await scrapeAs(busy, "/articles/night-market");
        answered++;
        return status;
      });
      await expect.poll(() => answered, { interval: 5 }).toBeGreaterThan(0);
      const before = answered;
      expect((await scrapeAs(quiet, "/final")).status).toBe(200);
      expect(answered - before).toBeLessThan(40);
      expect(new Set(await Promise.all(burst))).toEqual(new Set([200]));
    },
  );
});
