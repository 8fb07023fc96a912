import { useState } from "preact/hooks";
import { ask } from "../../api/client.ts";
import { pathOfLink, readParts } from "../../api/read-parts.ts";
import type { ListStart } from "../../api/read-parts.ts";
import { useLoaded } from "../../api/use-loaded.ts";
import { ErrorNotice, Loading, WarningNotice } from "../../parts/notices.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import type { UrlLine, UrlsResponse } from "../crawl-types.ts";
import { FailureNotice } from "../failure-notice.tsx";
import { isUnderWay } from "../job-types.ts";
import type { JobDetails } from "../job-types.ts";
import { useLivePages } from "../live/use-live-pages.ts";
import type { LivePages } from "../live/use-live-pages.ts";
import type { WatchedJob } from "../live/use-job.ts";
import { CrawlErrorsTab } from "./crawl-errors.tsx";
import { CrawlProgress } from "./crawl-progress.tsx";
import { DownloadMenu } from "./download-menu.tsx";
import { downloadsOf } from "./downloads.ts";
import { PageList } from "./page-list.tsx";
import { UrlTreeView } from "./url-tree-view.tsx";

const RUNNING_LINES = 2_000;
const LINES_AT_ONCE = 10_000;
const RELOAD_MS = 4_000;

const NO_LINES: readonly UrlLine[] = [];

async function readUrls(id: string, count: number, signal: AbortSignal): Promise<ListStart<UrlLine>> {
  const path = `/v2/crawl/${id}/urls?limit=${Math.min(count, LINES_AT_ONCE)}`;
  return await readParts(path, count, async (part) => {
    const { urls, next } = await ask<UrlsResponse>(part, { signal });
    return { items: urls, next: next === undefined ? undefined : pathOfLink(next) };
  });
}

/** The pages; of a job with zero data retention, first a button that reads them. */
function ListedPages({ live, isRunning }: { live: LivePages; isRunning: boolean }) {
  if (live.connection !== "unread")
    return <PageList held={live} isRunning={isRunning} readEarlier={live.readEarlier} />;
  return (
    <>
      <WarningNotice>
        This job has zero data retention: when it has ended, the service deletes its pages once all of them were read,
        from the first to the last, or else five minutes after the end; with a webhook, not before its last event is
        delivered or given up. The JSONL download reads all pages, the list those that it shows. A program that waits
        for pages receives none that were deleted.
      </WarningNotice>
      <div>
        <button type="button" class="button" onClick={live.read}>
          List pages
        </button>
      </div>
    </>
  );
}

/** The progress, pages, URLs and errors of a crawl or batch scrape, with live updates while it runs. */
export function CrawlDetail({ watched }: { watched: WatchedJob & { details: JobDetails } }) {
  const { job, error, warning, pages } = watched.details;
  const isRunning = isUnderWay(job);
  const live = useLivePages(watched.details, () => void watched.refresh());
  const [lines, setLines] = useState(LINES_AT_ONCE);
  const urls = useLoaded(
    (signal) => readUrls(job.id, isRunning ? RUNNING_LINES : lines, signal),
    [job.id, job.status, lines],
    isRunning ? RELOAD_MS : undefined,
  );
  const [tab, setTab] = useState("pages");
  const documents = pages?.documents ?? pages?.completed;
  const tabs = [
    { name: "pages", label: "Pages", count: documents },
    { name: "urls", label: "All URLs", count: pages?.discovered },
    { name: "errors", label: "Errors", count: pages?.failed },
  ];
  return (
    <>
      {error !== undefined && <FailureNotice error={error} />}
      {warning !== undefined && <WarningNotice>{warning}</WarningNotice>}
      <CrawlProgress watched={watched} connection={live.connection} lines={urls.value?.items ?? NO_LINES} />
      <section class="card stack" aria-label="Results">
        <div class="downloads-row">
          <DownloadMenu job={job} count={documents ?? 0} downloads={downloadsOf(watched.details, isRunning)} />
        </div>
        <Tabs label="Results" tabs={tabs} chosen={tab} choose={setTab}>
          {tab === "pages" && live.isLoading && <Loading what="pages" />}
          {tab === "pages" && live.error !== undefined && <ErrorNotice error={live.error} retry={live.retry} />}
          {tab === "pages" && !live.isLoading && live.error === undefined && (
            <ListedPages live={live} isRunning={isRunning} />
          )}
          {tab === "urls" && (
            <UrlTreeView
              loaded={urls}
              loadMore={isRunning ? undefined : () => setLines((count) => count + LINES_AT_ONCE)}
            />
          )}
          {tab === "errors" && (
            <CrawlErrorsTab path={job.statusPath} failed={pages?.failed ?? 0} isRunning={isRunning} />
          )}
        </Tabs>
      </section>
    </>
  );
}
