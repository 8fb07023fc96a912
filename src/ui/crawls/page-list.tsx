import { useState } from "preact/hooks";
import type { ApiError } from "../api/client.ts";
import { toApiError } from "../api/use-loaded.ts";
import { toCount } from "../parts/format.ts";
import { ErrorNotice } from "../parts/notices.tsx";
import { StoredPage } from "../playground/stored-page.tsx";
import type { ArrivedPage } from "./crawl-types.ts";
import { earlierCount } from "./held-pages.ts";
import type { HeldPages } from "./held-pages.ts";

const SHOWN_AT_FIRST = 100;
const SHOWN_MORE = 500;
/** Fewer are looked through by eye. */
const MIN_SOUGHT = 20;

interface PageListProps {
  held: HeldPages;
  isRunning: boolean;
  readEarlier: () => Promise<void>;
}

/** Pages as they come, the newest first; each opens as it is kept. */
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
        {isRunning ? "The first page is on its way." : "No page was scraped. The other tabs say why."}
      </p>
    );
  }
  const showMore = async (): Promise<void> => {
    if (isShort) await readEarlier();
    setShown(shown + SHOWN_MORE);
  };
  return (
    <div class="stack">
      {held.seen > MIN_SOUGHT && (
        <input
          type="search"
          aria-label="Look for a title or an address"
          placeholder="Look for a title or an address"
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
  if (!isFiltered) return `${toCount(shown)} of ${all} shown, the latest first`;
  const searched = earlierCount(held) > 0 ? `the latest ${toCount(held.pages.length)} of ${all}` : all;
  return `${toCount(shown)} found among ${searched}`;
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
        {isBusy ? "Reading earlier pages" : "Show earlier pages"}
      </button>
    </div>
  );
}
