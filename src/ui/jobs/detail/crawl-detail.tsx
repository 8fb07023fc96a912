import { useEffect, useState } from "preact/hooks";
import { ask } from "../../api/client.ts";
import type { ApiError } from "../../api/client.ts";
import { toApiError, useLoaded } from "../../api/use-loaded.ts";
import { Icon } from "../../parts/icon.tsx";
import { ErrorNotice, Loading, WarningNotice } from "../../parts/notices.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { useStore } from "../../parts/store.ts";
import { Tabs } from "../../parts/tabs.tsx";
import { hrefOf } from "../../routes.ts";
import { StatusChip } from "../crawl-list.tsx";
import { CrawlErrorsTab } from "./crawl-errors.tsx";
import { CrawlProgress } from "./crawl-progress.tsx";
import type { UrlsResponse } from "../crawl-types.ts";
import { DownloadMenu } from "./download-menu.tsx";
import { knownCrawls } from "../known-crawls.ts";
import { PageList } from "./page-list.tsx";
import { UrlTreeView } from "./url-tree-view.tsx";
import { useCrawl } from "../use-crawl.ts";

const RUNNING_LINES = 2_000;
const ALL_LINES = 10_000;
const RELOAD_MS = 3_000;

/** One crawl with live updates while it runs. */
export function CrawlDetail({ id }: { id: string }) {
  const crawl = useCrawl(id);
  const { status, error } = crawl;
  const isRunning = status?.status === "scraping";
  const urls = useLoaded(
    (signal) => ask<UrlsResponse>(`/v2/crawl/${id}/urls?limit=${isRunning ? RUNNING_LINES : ALL_LINES}`, { signal }),
    [id, status?.status],
    isRunning ? RELOAD_MS : undefined,
  );
  const [tab, setTab] = useState("pages");
  const site = useStore(knownCrawls).find((known) => known.id === id)?.url ?? urls.value?.urls[0]?.url;
  const counts = urls.value?.counts;
  const tabs = [
    { name: "pages", label: "Pages", count: Math.max(status?.completed ?? 0, crawl.seen) },
    { name: "urls", label: "All URLs", count: counts?.discovered },
    { name: "errors", label: "Errors", count: counts?.failed },
  ];
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf("jobs")}>Jobs</a>
      </p>
      <PageHead title={site === undefined ? "Crawl" : titleOf(site)} lead={site ?? id}>
        {status !== undefined && <StatusChip status={status.status} />}
        {isRunning && <CancelButton id={id} done={crawl.refresh} />}
        {status !== undefined && <DownloadMenu id={id} site={site} count={status.completed} />}
      </PageHead>
      {error !== undefined && <ErrorNotice error={error} retry={crawl.refresh} />}
      {status === undefined && error === undefined && <Loading what="crawl" />}
      {status !== undefined && (
        <div class="stack">
          {status.warning !== undefined && <WarningNotice>{status.warning}</WarningNotice>}
          <CrawlProgress crawl={crawl} counts={counts} lines={urls.value?.urls ?? []} />
          <section class="card" aria-label="Results">
            <Tabs label="Results" tabs={tabs} chosen={tab} choose={setTab}>
              {tab === "pages" && <PageList held={crawl} isRunning={isRunning} readEarlier={crawl.readEarlier} />}
              {tab === "urls" && <UrlTreeView answer={urls.value} error={urls.error} />}
              {tab === "errors" && <CrawlErrorsTab id={id} failed={counts?.failed ?? 0} isRunning={isRunning} />}
            </Tabs>
          </section>
        </div>
      )}
    </>
  );
}

function titleOf(site: string): string {
  return URL.canParse(site) ? `Crawl of ${new URL(site).host}` : "Crawl";
}

/** Cancels the crawl after a second press. */
function CancelButton({ id, done }: { id: string; done: () => void }) {
  const [isConfirming, setConfirming] = useState(false);
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    if (!isConfirming) return undefined;
    const timer = setTimeout(() => setConfirming(false), 5_000);
    return () => clearTimeout(timer);
  }, [isConfirming]);
  const cancel = async (): Promise<void> => {
    setConfirming(false);
    try {
      await ask(`/v2/crawl/${id}`, { method: "DELETE" });
    } catch (failure) {
      setError(toApiError(failure));
    }
    done();
  };
  if (error !== undefined) return <ErrorNotice error={error} />;
  return (
    <button
      type="button"
      class="button button-danger"
      onClick={() => (isConfirming ? void cancel() : setConfirming(true))}
    >
      <Icon name="stop" /> {isConfirming ? "Confirm cancel" : "Cancel crawl"}
    </button>
  );
}
