import { useMemo, useState } from "preact/hooks";
import type { ApiError } from "../../api/client.ts";
import { toApiError } from "../../api/use-loaded.ts";
import { toCount } from "../../parts/format.ts";
import { ErrorNotice } from "../../parts/notices.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { StoredPage } from "../../playground/response/stored-page.tsx";
import type { ArrivedPage } from "../crawl-types.ts";
import { earlierCount } from "./held-pages.ts";
import type { HeldPages } from "./held-pages.ts";

const ROW_HEIGHT = 54;
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
  const [words, setWords] = useState("");
  const needle = words.trim().toLowerCase();
  const pages = useMemo(
    () => (needle === "" ? held.pages : held.pages.filter((page) => matches(page, needle))),
    [held.pages, needle],
  );
  if (held.seen === 0) {
    return (
      <p class="faint">
        {isRunning ? "Waiting for the first page…" : "No pages were scraped. See All URLs and Errors for the reasons."}
      </p>
    );
  }
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
      <VirtualList
        label="Scraped pages"
        count={pages.length}
        rowHeight={ROW_HEIGHT}
        keyOf={(at) => pages[at]?.scrapeId ?? `${pages[at]?.url} ${pages.length - at}`}
        render={(at) => <PageRow page={pages[at]} open={setOpened} />}
      />
      <p class="faint" role="status">
        {countsInWords({ shown: pages.length, held, isFiltered: needle !== "" })}
      </p>
      {earlierCount(held) > 0 && <MoreButton showMore={readEarlier} />}
      {opened !== undefined && (
        <StoredPage scrapeId={opened.scrapeId} title={opened.title ?? opened.url} close={() => setOpened(undefined)} />
      )}
    </div>
  );
}

function PageRow({ page, open }: { page: ArrivedPage | undefined; open: (page: ArrivedPage) => void }) {
  if (page === undefined) return null;
  const { title, url, statusCode } = page;
  return (
    <>
      <button type="button" class="page-item" title={url} onClick={() => open(page)}>
        <span class="page-title">{title ?? url}</span>
        <span class="faint">{url}</span>
      </button>
      {statusCode !== undefined && statusCode !== 200 && <span class="chip-status warn">{statusCode}</span>}
    </>
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
