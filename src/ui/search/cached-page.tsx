import { useState } from "preact/hooks";
import { ApiError, failureOf, send } from "../api/client.ts";
import type { ApiAnswer } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { Dialog } from "../parts/dialog.tsx";
import { EmptyState, ErrorNotice, Loading } from "../parts/notices.tsx";
import { AnswerTabs } from "../playground/answer-tabs.tsx";
import type { FoundPage } from "./found-pages.ts";

const NOT_FOUND = 404;
const ANY_AGE_MS = 10 * 365 * 86_400_000;

/** A found page as it is kept. Where there is no copy of it any more, that is said, and it can be scraped anew. */
export function CachedPage({ page, close }: { page: FoundPage; close: () => void }) {
  return (
    <Dialog title={page.title} close={close} isWide>
      <Kept page={page} />
    </Dialog>
  );
}

function Kept({ page }: { page: FoundPage }) {
  const [isAnew, setAnew] = useState(false);
  const { value, error, isLoading, reload } = useLoaded(
    (signal) => (isAnew ? scraped(page, { maxAge: 0 }, signal) : kept(page, signal)),
    [page.url, isAnew],
  );
  if (isLoading) return <Loading what="the page" />;
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  return value === undefined ? <NotKept page={page} scrape={() => setAnew(true)} /> : <AnswerTabs answer={value} />;
}

/** From the cache, or as its scrape answered it; undefined when it is in neither. */
async function kept(page: FoundPage, signal: AbortSignal): Promise<ApiAnswer | undefined> {
  try {
    return await scraped(page, { maxAge: ANY_AGE_MS, lockdown: true }, signal);
  } catch (failure) {
    if (!(failure instanceof ApiError) || failure.code !== "SCRAPE_LOCKDOWN_CACHE_MISS") throw failure;
  }
  if (page.scrapeId === undefined) return undefined;
  const answer = await send(`/v2/scrape/${encodeURIComponent(page.scrapeId)}`, { signal });
  const failure = failureOf(answer);
  if (failure === undefined) return answer;
  if (failure.status === NOT_FOUND) return undefined;
  throw failure;
}

/** @throws ApiError */
async function scraped({ url }: FoundPage, options: object, signal: AbortSignal): Promise<ApiAnswer> {
  const answer = await send("/v2/scrape", { body: { url, formats: ["markdown", "links"], ...options }, signal });
  const failure = failureOf(answer);
  if (failure !== undefined) throw failure;
  return answer;
}

/** The index knows pages for longer than their copies are kept, and pages that were not for everyone. */
function NotKept({ page, scrape }: { page: FoundPage; scrape: () => void }) {
  return (
    <EmptyState icon="search" title="No copy of this page is kept">
      <p>Its words are still found, but its copy has expired, or was not to be kept.</p>
      <p class="breaking">“{page.snippet}”</p>
      <button type="button" class="button button-main" onClick={scrape}>
        Scrape it now
      </button>
    </EmptyState>
  );
}
