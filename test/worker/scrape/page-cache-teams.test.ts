import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { buildDeps, layFoundation } from "../../../src/compose.ts";
import { createApp } from "../../../src/http/app.ts";
import { ADMIN_KEY, API_KEY } from "../keys.ts";

const KEYS = { API_KEY, ADMIN_KEY };

/** The service, its site, and what a scrape of it says of the cache, by key. */
async function twoTeams(settings: { SHARE_PAGE_CACHE?: string }) {
  let asked = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const { hostname } = new URL(new Request(input as RequestInfo).url);
    if (!hostname.endsWith("shared.example")) return Response.json({ Status: 0, Answer: [{ type: 1, TTL: 60, data: "93.184.215.14" }] }); // prettier-ignore
    asked++;
    const text = `<title>Page</title><main><h1>Visit ${asked}</h1><p>${"The page is read. ".repeat(20)}</p></main>`;
    return new Response(text, { headers: { "content-type": "text/html" } });
  });
  const deferred: Promise<unknown>[] = [];
  const foundation = layFoundation({ ...env, ...KEYS, ...settings } as never);
  const app = createApp((request) => buildDeps(foundation, request, (work) => void deferred.push(work)));
  const post = async (path: string, key: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await app.request(`http://service.example${path}`, { method: "POST", headers, body: JSON.stringify(body) }); // prettier-ignore
    await Promise.all(deferred.splice(0));
    return (await response.json()) as { data: { key: string; metadata: { cacheState?: string } } };
  };
  const made = await post("/v2/team/keys", KEYS.ADMIN_KEY, { name: "other", teamId: crypto.randomUUID() });
  const url = `https://${crypto.randomUUID()}.shared.example/`;
  const scrape = async (key: string, options: object = {}) =>
    (await post("/v2/scrape", key, { url, ...options })).data.metadata.cacheState;
  return { scrape, own: KEYS.API_KEY, other: made.data.key, asked: () => asked };
}

test("a page that one team has loaded answers that team alone", async () => {
  const { scrape, own, other, asked } = await twoTeams({});
  expect([await scrape(own), await scrape(own), await scrape(other), await scrape(other)]).toEqual([
    "miss",
    "hit",
    "miss",
    "hit",
  ]);
  expect(asked()).toBe(2);
});

test("teams share their copies where the settings say so, but none that a request's headers have brought", async () => {
  const { scrape, own, other } = await twoTeams({ SHARE_PAGE_CACHE: "true" });
  expect(await scrape(own, { headers: { Cookie: "session=1" } })).toBeUndefined();
  expect(await scrape(other)).toBe("miss");
  expect(await scrape(own)).toBe("hit");
});
