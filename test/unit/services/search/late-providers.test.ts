import { expect, test } from "vitest";
import { parseProviderOrder } from "../../../../src/search/provider-order.ts";
import type { ProviderOutcome, SearchProvider } from "../../../../src/search/provider.ts";
import { anonymousCaller } from "../../../../src/services/account/anonymous-caller.ts";
import { searchWeb } from "../../../../src/services/search/search-web.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { noPauses } from "../../../fakes/memory/memory-page-index.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const FOUND: ProviderOutcome = {
  kind: "answered",
  hits: [{ url: "https://b.example/", title: "B", description: "" }],
};

/** A search of two providers at once, of which the first one answers later than the other by any time. */
function searchOf(late: Promise<ProviderOutcome>) {
  const clock = fixedClock();
  const pauses = noPauses();
  const provider = (name: string, outcome: Promise<ProviderOutcome>): SearchProvider => ({
    name,
    places: new Set(["web"]),
    fulfils: new Set(),
    search: () => outcome,
  });
  const deps = testDeps({
    clock,
    searchProviders: [provider("brave", late), provider("serper", Promise.resolve(FOUND))],
    providerPauses: pauses,
    settings: { searchOrder: parseProviderOrder("merge(brave,serper)") },
  });
  return { clock, pauses, search: () => searchWeb(deps, anonymousCaller(), { query: "harbour bell" }) };
}

test("a provider that the others are not kept waiting for is named", async () => {
  const { attempts, warning } = await searchOf(new Promise(() => undefined)).search();
  expect(attempts).toMatchObject([
    { provider: "serper", outcome: "answered" },
    { provider: "brave", outcome: "timed_out", hits: 0, ms: 0 },
  ]);
  expect(warning).toContain("brave: It had not answered 3 s after another one");
});

test("what a provider answers after the search has gone on changes nothing but its pause", async () => {
  const { promise, resolve } = Promise.withResolvers<ProviderOutcome>();
  const { clock, pauses, search } = searchOf(promise);
  const { attempts } = await search();
  resolve({ kind: "failed", reason: "rate_limited", message: "It answered 429", retryAfterMs: 60_000 });
  await new Promise((settled) => setTimeout(settled, 0));
  expect(attempts).toHaveLength(2);
  expect([...(await pauses.list(clock.now())).keys()]).toEqual(["brave"]);
});
