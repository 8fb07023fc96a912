import { z } from "zod";
import { withinTime } from "../../../core/waits/within-time.ts";
import type { Clock } from "../../../ports/system.ts";
import { listOf, optionalText, present } from "../../response-fields.ts";
import { failed, malformed } from "../../ask.ts";
import { engineText } from "../../engine-text.ts";
import type { ProviderOutcome, SearchProvider, SearchQuery } from "../../provider.ts";

/** The platform's web search, bound in `wrangler.toml` where the account has it. */
export interface WebSearchBinding {
  search(options: { query: string; limit?: number }): Promise<unknown>;
}

const Item = z.object({
  url: z.string(),
  title: optionalText,
  description: optionalText,
  lastModifiedDate: optionalText,
});
const Answer = z.object({ items: listOf(Item) });

const MAX_RESULTS = 20;

/** Cloudflare Web Search by its binding: URLs with titles and descriptions, at most 20. */
export function createCloudflare(binding: WebSearchBinding, clock: Clock): SearchProvider {
  return {
    name: "cloudflare",
    places: new Set(["web", "github", "research", "pdf", "developer", "gov"]),
    fulfils: new Set(),
    search: (query) =>
      withinTime(askBinding(binding, query), query.deadlineMs - clock.now(), () =>
        failed("timed_out", "It did not answer in time"),
      ),
  };
}

async function askBinding(binding: WebSearchBinding, query: SearchQuery): Promise<ProviderOutcome> {
  let answer: unknown;
  try {
    answer = await binding.search({ query: engineText(query), limit: Math.min(MAX_RESULTS, query.limit) });
  } catch (error) {
    return refusal(error instanceof Error ? error.message : String(error));
  }
  const parsed = Answer.safeParse(answer);
  if (!parsed.success) return malformed(parsed.error.issues[0]?.message ?? "unexpected");
  const hits = parsed.data.items.map(({ url, title, description, lastModifiedDate }) => {
    return { url, title, description, ...present("date", lastModifiedDate) };
  });
  return { kind: "answered", hits };
}

const RATE_PAUSE_MS = 60_000;

/** A binding has no status: what it says must do. */
function refusal(message: string): ProviderOutcome {
  if (/\b429\b|rate.?limit|too many/i.test(message))
    return failed("rate_limited", "It is rate-limited and paused for 60 s", RATE_PAUSE_MS);
  if (/\b40[13]\b|unauthori[sz]ed|forbidden|not enabled/i.test(message))
    return failed("unauthorized", "The account may not use it");
  return failed("server_error", "It failed");
}
