import { useState } from "preact/hooks";
import type { ApiError } from "../../api/client.ts";
import { toApiError } from "../../api/use-loaded.ts";
import { toCount } from "../../parts/format.ts";
import { ErrorNotice } from "../../parts/notices.tsx";
import { StoredPage } from "../../playground/response/stored-page.tsx";
import type { ArrivedPage } from "../crawl-types.ts";
import { earlierCount } from "./held-pages.ts";
import type { HeldPages } from "./held-pages.ts";

const SHOWN_AT_FIRST = 100;
const SHOWN_MORE = 500;
/** Minimum number of pages for a filter. */
const MIN_FILTERED = 20;

interface PageListProps {
  held: HeldPages;
  isRunning: boolean;
  readEarlier: () => Promise<void>;
}

/** Scraped pages, newest first. Selecting one opens its stored result. */
export function PageList({ held, isRunning, readEarlier }: PageListProps) {
  const [opened, setOpened] = useState<ArrivedPage>();
  const [shown, setShown] = useState(SHOWN_AT_FIRST);
  const [words, setWords] = useState("");
  const needle = words.trim().toLowerCase();
  const pages = needle === "" ? held.pages : held.pages.filter((page) => matches(page, needle));
  const isShort = pages.length <= shown;
  if (held.seen === 0) {
    return (
      <p class="faint">
        {isRunning ? "Waiting for the first page…" : "No pages were scraped. See All URLs and Errors for the reasons."}
      </p>
    );
  }
  const showMore = async (): Promise<void> => {
    if (isShort) await readEarlier();
    setShown(shown + SHOWN_MORE);
  };
  return (
    <div class="stack">
      {held.seen > MIN_FILTERED && (
        <input
          type="search"
          aria-label="Filter by title or URL"
          placeholder="Filter by title or URL"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      )}
      <ul class="page-list">
        {pages.slice(0, shown).map((page, at) => (
          <li key={page.scrapeId ?? `${page.url} ${at}`}>
            <button type="button" class="page-item" onClick={() => setOpened(page)}>
              <span class="page-title">{page.title ?? page.url}</span>
              <span class="faint breaking">{page.url}</span>
            </button>
            {page.statusCode !== undefined && page.statusCode !== 200 && (
              <span class="chip-status warn">{page.statusCode}</span>
            )}
          </li>
        ))}
      </ul>
      <p class="faint" role="status">
        {countsInWords({ shown: Math.min(shown, pages.length), held, isFiltered: needle !== "" })}
      </p>
      {(!isShort || earlierCount(held) > 0) && <MoreButton showMore={showMore} />}
      {opened !== undefined && (
        <StoredPage scrapeId={opened.scrapeId} title={opened.title ?? opened.url} close={() => setOpened(undefined)} />
      )}
    </div>
  );
}

function matches({ title = "", url }: ArrivedPage, needle: string): boolean {
  return `${title} ${url}`.toLowerCase().includes(needle);
}

function countsInWords(about: { shown: number; held: HeldPages; isFiltered: boolean }): string {
  const { shown, held, isFiltered } = about;
  const all = toCount(held.seen);
  if (!isFiltered) return `Showing ${toCount(shown)} of ${all}, newest first`;
  const searched = earlierCount(held) > 0 ? `the latest ${toCount(held.pages.length)} of ${all} pages` : `${all} pages`;
  return `${toCount(shown)} ${shown === 1 ? "match" : "matches"} in ${searched}`;
}

function MoreButton({ showMore }: { showMore: () => Promise<void> }) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const press = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    await showMore().catch((failure: unknown) => setError(toApiError(failure)));
    setBusy(false);
  };
  return (
    <div>
      {error !== undefined && <ErrorNotice error={error} />}
      <button type="button" class="button" disabled={isBusy} onClick={() => void press()}>
        {isBusy ? "Loading…" : "Load earlier pages"}
      </button>
    </div>
  );
}
