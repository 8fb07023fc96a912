import { useState } from "preact/hooks";
import { toCount } from "../parts/format.ts";
import { StoredPage } from "../playground/stored-page.tsx";
import type { ArrivedPage } from "./crawl-types.ts";
import { MAX_LISTED } from "./use-crawl.ts";

const SHOWN_AT_FIRST = 100;

/** Pages as they come, the newest first; each opens as it is kept. */
export function PageList(about: { pages: ArrivedPage[]; isRunning: boolean; completed: number }) {
  const { pages, isRunning, completed } = about;
  const [opened, setOpened] = useState<ArrivedPage>();
  const [shown, setShown] = useState(SHOWN_AT_FIRST);
  if (pages.length === 0) {
    return (
      <p class="faint">
        {isRunning ? "The first page is on its way." : "No page was scraped. The other tabs say why."}
      </p>
    );
  }
  return (
    <>
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
      {pages.length > shown && (
        <button type="button" class="button spaced" onClick={() => setShown(shown + 400)}>
          Show more of {toCount(pages.length)}
        </button>
      )}
      {completed > MAX_LISTED && (
        <p class="faint spaced">The latest {toCount(MAX_LISTED)} pages are listed. Downloads have all of them.</p>
      )}
      {opened !== undefined && (
        <StoredPage scrapeId={opened.scrapeId} title={opened.title ?? opened.url} close={() => setOpened(undefined)} />
      )}
    </>
  );
}
