import { NOW_MS, recorded, type ProviderCase } from "../../../contracts/search-provider.ts";
import type { Http } from "../../../../src/ports/outbound/http.ts";
import { createCloudflare } from "../../../../src/search/providers/web/cloudflare.ts";
import { createOwnIndex } from "../../../../src/search/providers/web/own-index.ts";
import type { SearchProvider } from "../../../../src/search/provider.ts";
import { fixedClock } from "../../fixed-clock.ts";
import { baseUrl, BELL, SEA } from "./shared.ts";

/** Providers that are asked over a binding: the platform and the own index. */
export const INNER_CASES: ProviderCase[] = [
  {
    name: "cloudflare",
    place: "web",
    make: overBinding,
    normal: [recorded("cloudflare-web.json")],
    empty: [recorded("cloudflare-web-empty.json")],
    hits: [
      { ...BELL, date: "2025-03-04T10:00:00" },
      { ...SEA, description: "" },
    ],
    failures: [
      { why: "401", reply: { status: 401 }, reason: "unauthorized", words: /account may not use it/ },
      { why: "429", reply: { status: 429 }, reason: "rate_limited", words: /paused for 60 s/, retryAfterMs: 60_000 },
      { why: "500", reply: { status: 500 }, reason: "server_error", words: /It failed/ },
      { why: "a time-out", reply: { failed: "SCRAPE_TIMEOUT" }, reason: "timed_out", words: /in time/ },
      {
        why: "an answer of another shape",
        reply: { body: '{"items":7}' },
        reason: "malformed",
        words: /could not be read/,
      },
    ],
  },
  {
    name: "own-index",
    place: "web",
    make: overIndex,
    normal: [{ body: JSON.stringify([{ url: BELL.url, title: BELL.title, body: `${BELL.description} Much more.` }]) }],
    empty: [{ body: "[]" }],
    hits: [{ ...BELL, date: new Date(NOW_MS).toISOString() }],
    failures: [
      {
        why: "a database that fails",
        reply: { status: 500 },
        reason: "server_error",
        words: /index could not be read/,
      },
    ],
  },
];

/** A binding has no HTTP: what it says is what it throws, and when it does not answer it does not. */
function overBinding(http: Http): SearchProvider {
  const search = async (): Promise<unknown> => {
    const outcome = await http.request({ url: baseUrl, deadlineMs: NOW_MS, ownHosts: [] });
    if (outcome.kind === "failed") return new Promise(() => {});
    const { statusCode, body } = outcome.response;
    if (statusCode !== 200) throw new Error(`Web Search answered ${statusCode}`);
    return JSON.parse(new TextDecoder().decode(body)) as unknown;
  };
  // Little is left of the time that one provider has.
  return createCloudflare({ search }, fixedClock(NOW_MS + 9_990));
}

function overIndex(http: Http): SearchProvider {
  const pages = {
    put: async () => ({ refused: 0 }),
    confirm: async () => ({ refused: 0 }),
    size: async () => ({ pages: 0, bytes: 0, shards: 1, isFull: false }),
    search: async () => {
      const outcome = await http.request({ url: baseUrl, deadlineMs: NOW_MS, ownHosts: [] });
      if (outcome.kind === "failed" || outcome.response.statusCode !== 200) throw new Error("D1_ERROR");
      const rows = JSON.parse(new TextDecoder().decode(outcome.response.body)) as {
        url: string;
        title: string;
        body: string;
      }[];
      return rows.map((row) => ({ ...row, description: "", datedAtMs: NOW_MS, scrapeId: null }));
    },
  };
  return createOwnIndex({ pages, clock: fixedClock(NOW_MS), retentionMs: 86_400_000 });
}
