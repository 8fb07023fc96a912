import { describe, expect, test } from "vitest";
import { parseSearchQuery } from "../../src/core/search/search-query.ts";
import type { Http } from "../../src/ports/outbound/http.ts";
import type { FailureReason, SearchHit, SearchPlace, SearchProvider, SearchQuery } from "../../src/search/provider.ts";
import { SOURCES } from "../../src/search/provider.ts";
import { dataFolder } from "../data-folder.ts";
import { replyingHttp, type Reply } from "../fakes/upstream/replying-http.ts";

const ANSWERS = dataFolder("test/fixtures/providers");
export const NOW_MS = Date.UTC(2026, 5, 15, 12);

/** A recorded answer as the provider sends it. */
export function recorded(file: string): Reply {
  return { body: ANSWERS.text(file) };
}

/** A query for a place, with nothing else asked for. */
export function queryFor(place: SearchPlace, fields: Partial<SearchQuery> & { text?: string } = {}): SearchQuery {
  const text = fields.text ?? "harbour bell";
  const source = SOURCES.find((name) => name === place) ?? "web";
  return {
    text,
    terms: parseSearchQuery(text),
    source,
    limit: 10,
    includeDomains: [],
    excludeDomains: [],
    teamId: "team",
    deadlineMs: NOW_MS + 50,
    ...(source === "web" && place !== "web" ? { category: place as SearchQuery["category"] & string } : {}),
    ...fields,
  };
}

/** How a provider can fail, and what is to be said of it. */
export interface Failure {
  why: string;
  reply: Reply;
  reason: FailureReason;
  words: RegExp;
  retryAfterMs?: number;
}

export const HTTP_FAILURES: Failure[] = [
  { why: "401", reply: { status: 401, body: "{}" }, reason: "unauthorized", words: /key is not valid \(401\)/ },
  {
    why: "429 with Retry-After",
    reply: { status: 429, headers: { "retry-after": "120" }, body: "slow down" },
    reason: "rate_limited",
    words: /rate-limited for 120 s/,
    retryAfterMs: 120_000,
  },
  { why: "500", reply: { status: 500, body: "<html>oops</html>" }, reason: "server_error", words: /answered 500/ },
  { why: "a time-out", reply: { failed: "SCRAPE_TIMEOUT" }, reason: "timed_out", words: /did not answer in time/ },
  {
    why: "a body that is something else",
    reply: { body: "<html><body>Welcome to our new interface</body></html>" },
    reason: "malformed",
    words: /could not be read/,
  },
  {
    why: "a body of another shape",
    reply: { body: '{"data":[1,2]}' },
    reason: "malformed",
    words: /could not be read/,
  },
  {
    why: "a body that breaks off",
    reply: { body: '{"results":[{"url":"htt' },
    reason: "malformed",
    words: /could not be read/,
  },
  {
    why: "a lost connection",
    reply: { failed: "SCRAPE_SITE_ERROR", message: "the connection was reset" },
    reason: "unreachable",
    words: /could not be reached \(the connection was reset\)/,
  },
];

export interface ProviderCase {
  name: string;
  place: SearchPlace;
  make(http: Http): SearchProvider;
  /** Recorded answers, one for each request. */
  normal: Reply[];
  empty: Reply[];
  hits: SearchHit[];
  /** Where they are not those of HTTP. */
  failures?: Failure[];
}

/** What every provider does. */
export function searchProviderContract({ name, place, make, normal, empty, hits, failures }: ProviderCase): void {
  describe(`${name} searching ${place}`, () => {
    test("calls itself by its name, and searches this place", () => {
      const provider = make(replyingHttp(normal));
      expect(provider.name).toBe(name);
      expect([...provider.places]).toContain(place);
    });

    test("reads what was found, in its order, as plain text", async () => {
      expect(await make(replyingHttp(normal)).search(queryFor(place))).toEqual({ kind: "answered", hits });
    });

    test("an empty answer is an answer", async () => {
      expect(await make(replyingHttp(empty)).search(queryFor(place))).toEqual({ kind: "answered", hits: [] });
    });

    test.each(failures ?? HTTP_FAILURES)(
      "$why is a failure, and said so",
      async ({ reply, reason, words, retryAfterMs }) => {
        const outcome = await make(replyingHttp([reply])).search(queryFor(place));
        expect(outcome).toMatchObject({ kind: "failed", reason });
        if (outcome.kind !== "failed") return;
        expect(outcome.message).toMatch(words);
        expect(outcome.retryAfterMs).toBe(retryAfterMs);
      },
    );
  });
}
