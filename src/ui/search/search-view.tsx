import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { toApiError } from "../api/use-loaded.ts";
import { Icon } from "../parts/icon.tsx";
import { EmptyState, ErrorNotice, Loading, WarningNotice } from "../parts/notices.tsx";
import { GuideLink, PageHead } from "../parts/page-head.tsx";
import { CachedPage } from "./cached-page.tsx";
import { Highlighted } from "./highlighted.tsx";
import { OWN_INDEX, foundPages } from "./found-pages.ts";
import type { FoundPage, SearchResponse } from "./found-pages.ts";

const LIMIT = 20;

interface Result {
  query: string;
  pages: FoundPage[];
  warning: string | undefined;
  /** True if web results are included. */
  isWide: boolean;
}

/** Searches pages that were scraped or crawled, and optionally the web. */
export function SearchView() {
  const [query, setQuery] = useState("");
  const [isWide, setWide] = useState(false);
  const [result, setResult] = useState<Result>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const [opened, setOpened] = useState<FoundPage>();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const text = query.trim();
    if (text === "") return;
    setBusy(true);
    setError(undefined);
    try {
      // The query leaves the service only if web results are included.
      const body = { query: text, limit: LIMIT, ...(isWide ? {} : { providers: [OWN_INDEX] }) };
      const answer = await ask<SearchResponse>("/v2/search", { body });
      setResult({ query: text, pages: foundPages(answer), warning: answer.warning, isWide });
    } catch (failure) {
      setResult(undefined);
      setError(toApiError(failure));
    }
    setBusy(false);
  };
  const shown = result?.pages ?? [];
  return (
    <>
      <PageHead title="Search" lead="Full-text search over scraped and crawled pages.">
        <GuideLink of="search" />
      </PageHead>
      <form class="card search-form" role="search" onSubmit={(event) => void submit(event)}>
        <div class="row">
          <input
            type="search"
            aria-label="Search query"
            placeholder={'Words, "exact phrase", site:example.com, -excluded'}
            value={query}
            onInput={(event) => setQuery(event.currentTarget.value)}
          />
          <button type="submit" class="button button-main" disabled={isBusy}>
            <Icon name="search" /> Search
          </button>
        </div>
        <label class="check">
          <input type="checkbox" checked={isWide} onChange={(event) => setWide(event.currentTarget.checked)} />
          Include web results
        </label>
      </form>
      {error !== undefined && <NotSearched error={error} />}
      {isBusy && <Loading what="results" />}
      {!isBusy && result === undefined && error === undefined && (
        <EmptyState icon="search" title="Search scraped pages">
          <p>Pages are searchable as soon as they are scraped or crawled.</p>
        </EmptyState>
      )}
      {!isBusy && result !== undefined && (
        <section aria-label="Results" class="stack">
          {result.warning !== undefined && <WarningNotice>{result.warning}</WarningNotice>}
          <p class="faint" role="status">
            {shown.length === 1 ? "1 result" : `${shown.length} results`}
          </p>
          {shown.length === 0 && (
            <EmptyState icon="search" title={result.isWide ? "No results" : "No scraped pages match this query"}>
              <p>Use fewer words, or scrape the page first.</p>
            </EmptyState>
          )}
          <ol class="results">
            {shown.map((page) => (
              <li key={page.url} class="card result">
                <h2>
                  <button type="button" class="link-button" onClick={() => setOpened(page)}>
                    {page.title}
                  </button>
                </h2>
                <p class="result-url">
                  <a href={page.url} target="_blank" rel="noopener noreferrer" class="breaking">
                    {page.url}
                  </a>
                </p>
                <p>
                  <Highlighted text={page.snippet} query={result.query} />
                </p>
                {result.isWide && <p class="faint">Source: {page.providers.join(", ")}</p>}
              </li>
            ))}
          </ol>
        </section>
      )}
      {opened !== undefined && <CachedPage page={opened} close={() => setOpened(undefined)} />}
    </>
  );
}

/** An error of the search. A service without search responds with 404 or 501. */
function NotSearched({ error }: { error: ApiError }) {
  if (error.status !== 404 && error.status !== 501) return <ErrorNotice error={error} />;
  return (
    <EmptyState icon="search" title="Search is not available">
      <p>
        {error.message} (<code>{error.code ?? error.status}</code>)
      </p>
    </EmptyState>
  );
}
