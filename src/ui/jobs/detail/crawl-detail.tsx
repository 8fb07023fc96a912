import { useState } from "preact/hooks";
import { ask } from "../../api/client.ts";
import { useLoaded } from "../../api/use-loaded.ts";
import { ErrorNotice, Loading, WarningNotice } from "../../parts/notices.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import type { UrlsResponse } from "../crawl-types.ts";
import { FailureNotice } from "../failure-notice.tsx";
import { isUnderWay } from "../job-types.ts";
import type { JobDetails } from "../job-types.ts";
import { useLivePages } from "../live/use-live-pages.ts";
import type { WatchedJob } from "../live/use-job.ts";
import { CrawlErrorsTab } from "./crawl-errors.tsx";
import { CrawlProgress } from "./crawl-progress.tsx";
import { DownloadMenu } from "./download-menu.tsx";
import { PageList } from "./page-list.tsx";
import { UrlTreeView } from "./url-tree-view.tsx";

const RUNNING_LINES = 2_000;
const ALL_LINES = 10_000;
const RELOAD_MS = 4_000;

/** The progress, pages, URLs and errors of a crawl or batch scrape, with live updates while it runs. */
export function CrawlDetail({ watched }: { watched: WatchedJob & { details: JobDetails } }) {
  const { job, error, warning, pages } = watched.details;
  const isRunning = isUnderWay(job);
  const live = useLivePages(watched.details, () => void watched.refresh());
  const urls = useLoaded(
    (signal) =>
      ask<UrlsResponse>(`/v2/crawl/${job.id}/urls?limit=${isRunning ? RUNNING_LINES : ALL_LINES}`, { signal }),
    [job.id, job.status],
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
      <CrawlProgress watched={watched} connection={live.connection} lines={urls.value?.urls ?? []} />
      <section class="card stack" aria-label="Results">
        <div class="downloads-row">
          <DownloadMenu
            job={job}
            count={documents ?? 0}
            hasArchive={!isRunning && watched.details.request?.body["archive"] === true}
          />
        </div>
        <Tabs label="Results" tabs={tabs} chosen={tab} choose={setTab}>
          {tab === "pages" && live.isLoading && <Loading what="pages" />}
          {tab === "pages" && live.error !== undefined && <ErrorNotice error={live.error} retry={live.retry} />}
          {tab === "pages" && !live.isLoading && live.error === undefined && (
            <PageList held={live} isRunning={isRunning} readEarlier={live.readEarlier} />
          )}
          {tab === "urls" && <UrlTreeView answer={urls.value} error={urls.error} />}
          {tab === "errors" && (
            <CrawlErrorsTab path={job.statusPath} failed={pages?.failed ?? 0} isRunning={isRunning} />
          )}
        </Tabs>
      </section>
    </>
  );
}
