import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { toApiError } from "../api/use-loaded.ts";
import { Icon } from "../parts/icon.tsx";
import { EmptyState, ErrorNotice, Loading, WarningNotice } from "../parts/notices.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { CachedPage } from "./cached-page.tsx";
import { Highlighted } from "./highlighted.tsx";
import { OWN_INDEX, foundPages } from "./found-pages.ts";
import type { FoundPage, SearchAnswer } from "./found-pages.ts";

const LIMIT = 20;

interface Result {
  query: string;
  pages: FoundPage[];
  warning: string | undefined;
  /** The web was asked as well. */
  isWide: boolean;
}

/** Finds pages again that were scraped or crawled here, and on the web when asked. */
export function SearchView() {
  const [query, setQuery] = useState("");
  const [isWide, setWide] = useState(false);
  const [result, setResult] = useState<Result>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const [opened, setOpened] = useState<FoundPage>();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const asked = query.trim();
    if (asked === "") return;
    setBusy(true);
    setError(undefined);
    try {
      // Words that somebody looks for here leave the service when the web is asked, and only then.
      const body = { query: asked, limit: LIMIT, ...(isWide ? {} : { providers: [OWN_INDEX] }) };
      const answer = await ask<SearchAnswer>("/v2/search", { body });
      setResult({ query: asked, pages: foundPages(answer), warning: answer.warning, isWide });
    } catch (failure) {
      setResult(undefined);
      setError(toApiError(failure));
    }
    setBusy(false);
  };
  const shown = result?.pages ?? [];
  return (
    <>
      <PageHead title="Search" lead="Everything that was scraped here, word by word." />
      <form class="card search-form" role="search" onSubmit={(event) => void submit(event)}>
        <div class="row">
          <input
            type="search"
            aria-label="Words to look for"
            placeholder={'Words, "phrases", site:example.com, -without'}
            value={query}
            onInput={(event) => setQuery(event.currentTarget.value)}
          />
          <button type="submit" class="button button-main" disabled={isBusy}>
            <Icon name="search" /> Search
          </button>
        </div>
        <label class="check">
          <input type="checkbox" checked={isWide} onChange={(event) => setWide(event.currentTarget.checked)} />
          Ask the web as well
        </label>
      </form>
      {error !== undefined && <NotSearched error={error} />}
      {isBusy && <Loading what="results" />}
      {!isBusy && result === undefined && error === undefined && (
        <EmptyState icon="search" title="Look for something that was scraped">
          <p>Pages can be found from the moment that they were scraped or crawled.</p>
        </EmptyState>
      )}
      {!isBusy && result !== undefined && (
        <section aria-label="Results" class="stack">
          {result.warning !== undefined && <WarningNotice>{result.warning}</WarningNotice>}
          <p class="faint" role="status">
            {shown.length === 1 ? "1 page" : `${shown.length} pages`}
          </p>
          {shown.length === 0 && (
            <EmptyState
              icon="search"
              title={result.isWide ? "Nothing was found" : "Nothing that was scraped here has these words"}
            >
              <p>Try fewer words, or scrape the page first.</p>
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
                {result.isWide && <p class="faint">found by {page.providers.join(", ")}</p>}
              </li>
            ))}
          </ol>
        </section>
      )}
      {opened !== undefined && <CachedPage page={opened} close={() => setOpened(undefined)} />}
    </>
  );
}

/** A service from before there was a search says that it does not know the route. */
function NotSearched({ error }: { error: ApiError }) {
  if (error.status !== 404 && error.status !== 501) return <ErrorNotice error={error} />;
  return (
    <EmptyState icon="search" title="This service does not search yet">
      <p>
        It answered: {error.message} (<code>{error.code ?? error.status}</code>)
      </p>
    </EmptyState>
  );
}
