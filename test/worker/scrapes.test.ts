import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createR2Blobs } from "../../src/platform/r2-blobs.ts";
import { createScrapeStore } from "../../src/storage/scrape/scrapes.ts";

const NOW = 1_700_000_000_000;

/** A store, and a team of the test's own with its scrapes. */
function newTeam() {
  const store = createScrapeStore(env.DB, createR2Blobs(env.BUCKET));
  const teamId = crypto.randomUUID();
  const scraped = (
    target: string,
    { statusCode = 200, padding = "", endpoint = "scrape", expiresAtMs = NOW + 1 } = {},
  ) =>
    store.insert(
      {
        id: crypto.randomUUID(),
        teamId,
        keyId: "k",
        apiVersion: "v2",
        endpoint,
        target,
        creditsUsed: 1,
        createdAtMs: NOW,
        expiresAtMs,
      },
      JSON.stringify({ markdown: padding, metadata: { title: `Title of ${target}`, statusCode } }),
    );
  const pages = async (host: string) =>
    (await store.pagesOf(host, { teamId, nowMs: NOW, limit: 10 })).map(({ url }) => url);
  return { store, teamId, scraped, pages };
}

test("a team's pages of a host are found however their URLs were written, each once", async () => {
  const { scraped, pages, store, teamId } = newTeam();
  for (const url of [
    "https://example.com/a",
    "https://example.com/a",
    "http://www.example.com/b",
    "example.com/c",
    "https://example.net/d",
  ]) {
    await scraped(url);
  }
  expect((await pages("www.example.com")).toSorted()).toEqual([
    "example.com/c",
    "http://www.example.com/b",
    "https://example.com/a",
  ]);
  const [first] = await store.pagesOf("example.net", { teamId, nowMs: NOW, limit: 10 });
  expect(first?.title).toBe("Title of https://example.net/d");
});

test("pages that were not there, that are forgotten, or that another team looked at are none", async () => {
  const { scraped, pages } = newTeam();
  await scraped("https://example.com/missing", { statusCode: 404 });
  await scraped("https://example.com/old", { expiresAtMs: NOW });
  await scraped("example.com.pdf", { endpoint: "parse" });
  await newTeam().scraped("https://example.com/secret");
  expect(await pages("example.com")).toEqual([]);
});

test("a page whose document is too long for its row is listed without a title", async () => {
  const { scraped, store, teamId } = newTeam();
  await scraped("https://example.com/long", { padding: "x".repeat(200_000) });
  expect(await store.pagesOf("example.com", { teamId, nowMs: NOW, limit: 10 })).toEqual([
    { url: "https://example.com/long", title: undefined, description: undefined },
  ]);
});
