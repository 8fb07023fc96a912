import type { Context } from "hono";
import type { ErrorCode } from "../../core/errors.ts";
import { checkRetention } from "../../services/account/check-retention.ts";
import { checkSearch } from "../../services/search/check-search.ts";
import {
  estimateSearchCredits,
  searchAndScrape,
  type SearchResponse,
  type SearchRequest,
} from "../../services/search/search-and-scrape.ts";
import { outputsOf } from "../../formats/outputs.ts";
import type { AppEnv } from "../context.ts";
import { publicOrigin } from "../public-origin.ts";
import { admitWork } from "../account/rate-limit.ts";
import { checkUnread } from "../scrape/counted-body.ts";
import { nameWork, workTarget } from "../work.ts";

/** Failures of a search, in addition to those of every route. */
export const SEARCH_FAILURES = [
  "ZERO_DATA_RETENTION_DISABLED",
  "SCRAPE_TIMEOUT",
  "SEARCH_FAILED",
] as const satisfies ErrorCode[];

/** Admits a search and runs it, for v1 and v2. */
export async function respondWithSearch(
  c: Context<AppEnv>,
  asked: Omit<SearchRequest, "publicOrigin">,
): Promise<SearchResponse> {
  const request: SearchRequest = { ...asked, publicOrigin: publicOrigin(c.req.raw) };
  checkRetention(c.var.deps, request.zeroDataRetention);
  checkSearch(c.var.deps, request);
  const formats = outputsOf({ ...request.scrapeOptions, formats: request.scrapeOptions.formats ?? [] });
  const credits = estimateSearchCredits(request);
  const target = workTarget(request.search.query, request.zeroDataRetention);
  checkUnread(c);
  await admitWork(c, { mode: "search", endpoint: "search", target, formats, credits });
  const answer = await searchAndScrape(c.var.deps, c.var.caller, request);
  const { web, images, news } = answer.groups;
  nameWork(c, { id: answer.id, pages: web.length + images.length + news.length });
  return answer;
}
