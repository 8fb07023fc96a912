import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, inject, test, vi } from "vitest";
import { buildDeps, layFoundation } from "../../src/compose.ts";
import { createApp } from "../../src/http/app.ts";
import { UnreadDocuments } from "../../src/http/scrape/unread-documents.ts";
import { DEFAULT_TEAM_ID } from "../../src/services/account/bootstrap-keys.ts";
import { ADMIN_KEY, API_KEY } from "./keys.ts";

const KEYS = { API_KEY, ADMIN_KEY, CREDITS_PER_MONTH: "100" };

test("a client that leaves in the midst of a scrape in a browser gets its credit back, and its lease ends", async () => {
  const siteUrl = inject("siteUrl");
  const foundation = layFoundation({ ...env, ...KEYS, ALLOW_PRIVATE_HOSTS: new URL(siteUrl).host } as never);
  const left = new AbortController();
  const deferred: Promise<unknown>[] = [];
  const app = createApp(({ url, method }) => {
    const clientLeft = method === "POST" ? { clientLeft: left.signal } : {};
    return buildDeps(foundation, { url, ...clientLeft }, (work) => void deferred.push(work));
  });
  const headers = { authorization: `Bearer ${KEYS.API_KEY}`, "content-type": "application/json" };
  const remaining = async (): Promise<number> => {
    const response = await app.request("http://service.example/v2/team/credit-usage", { headers });
    return (await response.json<{ data: { remainingCredits: number } }>()).data.remainingCredits;
  };
  const pool = env.BROWSER_POOL.getByName("pool");
  const before = await remaining();

  const body = JSON.stringify({ url: siteUrl, formats: ["screenshot"], waitFor: 20_000, timeout: 60_000, maxAge: 0 });
  const startedAtMs = Date.now();
  const scraping = app.request("http://service.example/v2/scrape", { method: "POST", headers, body });
  await vi.waitFor(async () => expect((await pool.status()).leases).toBe(1), { timeout: 15_000, interval: 100 });
  expect(await remaining()).toBeLessThan(before);
  left.abort(new DOMException("The client has left", "AbortError"));

  expect((await scraping).status).not.toBe(200);
  await Promise.all(deferred);
  expect(Date.now() - startedAtMs).toBeLessThan(20_000);
  expect(await pool.status()).toMatchObject({ leases: 0, waiters: 0 });
  expect(await remaining()).toBe(before);
});

test("the document of a client that leaves while it is sent no longer counts as unread", async () => {
  const counting = vi.spyOn(UnreadDocuments.prototype, "bodyOf");
  const form = new FormData();
  const page = `<article><p>${"Orb-weavers build anew. ".repeat(40_000)}</p></article>`;
  form.append("file", new File([page], "page.html", { type: "text/html" }));
  form.append("options", JSON.stringify({ formats: ["markdown", "html"] }));
  const headers = { authorization: `Bearer ${API_KEY}` };
  const leaving = new AbortController();
  const init = { method: "POST", headers, body: form, signal: leaving.signal };
  const response = await SELF.fetch("http://service.example/v2/parse", init);
  expect(response.status).toBe(200);
  const unread = counting.mock.contexts.find((each) => each instanceof UnreadDocuments);
  counting.mockRestore();
  expect(unread?.charsOf(DEFAULT_TEAM_ID)).toBeGreaterThan(1_000_000);
  leaving.abort();
  await vi.waitFor(() => expect(unread?.charsOf(DEFAULT_TEAM_ID)).toBe(0), { timeout: 10_000 });
});
