import { useState } from "preact/hooks";
import { failureOf, send } from "../api/client.ts";
import type { ApiResponse } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { Dialog } from "../parts/dialog.tsx";
import { EmptyState, ErrorNotice, Loading } from "../parts/notices.tsx";
import { ResponseTabs } from "../playground/response/response-tabs.tsx";
import type { FoundPage } from "./found-pages.ts";

const NOT_FOUND = 404;

/** The stored copy of a search result. If there is none, offers to scrape the page again. */
export function CachedPage({ page, close }: { page: FoundPage; close: () => void }) {
  return (
    <Dialog title={page.title} close={close} isWide>
      <StoredCopy page={page} />
    </Dialog>
  );
}

function StoredCopy({ page }: { page: FoundPage }) {
  const [isFresh, setFresh] = useState(false);
  const { value, error, isLoading, reload } = useLoaded(
    (signal) => (isFresh ? scraped(page, signal) : stored(page, signal)),
    [page.url, isFresh],
  );
  if (isLoading) return <Loading what="page" />;
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  return value === undefined ? <NoCopy page={page} scrape={() => setFresh(true)} /> : <ResponseTabs answer={value} />;
}

/** Returns the stored scrape of a page, which costs nothing; undefined if it is not stored any more. */
async function stored({ scrapeId }: FoundPage, signal: AbortSignal): Promise<ApiResponse | undefined> {
  if (scrapeId === undefined) return undefined;
  const answer = await send(`/v2/scrape/${encodeURIComponent(scrapeId)}`, { signal });
  const failure = failureOf(answer);
  if (failure === undefined) return answer;
  if (failure.status === NOT_FOUND) return undefined;
  throw failure;
}

/** Scrapes a page. @throws ApiError */
async function scraped({ url }: FoundPage, signal: AbortSignal): Promise<ApiResponse> {
  const answer = await send("/v2/scrape", { body: { url, formats: ["markdown", "links"], maxAge: 0 }, signal });
  const failure = failureOf(answer);
  if (failure !== undefined) throw failure;
  return answer;
}

/** Shown for a page without a copy. Index entries outlive copies, and some pages are not cached. */
function NoCopy({ page, scrape }: { page: FoundPage; scrape: () => void }) {
  return (
    <EmptyState icon="search" title="No stored copy of this page">
      <p>The page is in the search index, but its copy has expired or was not stored. A scrape costs 1 credit.</p>
      <p class="breaking">“{page.snippet}”</p>
      <button type="button" class="button button-main" onClick={scrape}>
        Scrape now
      </button>
    </EmptyState>
  );
}
