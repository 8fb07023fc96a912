import { useState } from "preact/hooks";
import { failureOf, send } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { Dialog } from "../parts/dialog.tsx";
import { EmptyState, ErrorNotice, Loading } from "../parts/notices.tsx";
import { AnswerTabs } from "../playground/answer-tabs.tsx";
import type { FoundPage } from "./found-pages.ts";

const ANY_AGE_MS = 10 * 365 * 86_400_000;
/** From the cache and from nowhere else. */
const AS_KEPT = { maxAge: ANY_AGE_MS, lockdown: true };
const ANEW = { maxAge: 0 };

/** A found page as it is kept. Where the cache has no copy of it, that is said, and it can be scraped anew. */
export function CachedPage({ page, close }: { page: FoundPage; close: () => void }) {
  return (
    <Dialog title={page.title} close={close} isWide>
      <Kept page={page} />
    </Dialog>
  );
}

function Kept({ page }: { page: FoundPage }) {
  const [source, setSource] = useState<object>(AS_KEPT);
  const { value, error, isLoading } = useLoaded(
    async (signal) => {
      const body = { url: page.url, formats: ["markdown", "links"], ...source };
      const answer = await send("/v2/scrape", { body, signal });
      const failure = failureOf(answer);
      if (failure !== undefined) throw failure;
      return answer;
    },
    [page.url, source],
  );
  if (isLoading) return <Loading what="the page" />;
  if (error?.code === "SCRAPE_LOCKDOWN_CACHE_MISS") return <NotKept page={page} scrape={() => setSource(ANEW)} />;
  if (error !== undefined) return <ErrorNotice error={error} retry={() => setSource({ ...source })} />;
  return value === undefined ? null : <AnswerTabs answer={value} />;
}

/** The index knows a page by where redirects ended, for longer than the cache, and also when it was no page for everyone. */
function NotKept({ page, scrape }: { page: FoundPage; scrape: () => void }) {
  return (
    <EmptyState icon="search" title="No copy of this page is kept">
      <p>
        Its words are still found, but the cache has no copy under this address: it was redirected here, was loaded with
        headers, actions or other options of its own, or the copy has expired.
      </p>
      <p class="breaking">“{page.snippet}”</p>
      <button type="button" class="button button-main" onClick={scrape}>
        Scrape it now
      </button>
    </EmptyState>
  );
}
