import { ask } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { toAgo } from "../parts/format.ts";
import { EmptyState, ErrorNotice } from "../parts/notices.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { useStore } from "../parts/store.ts";
import { hrefOf } from "../routes.ts";
import { STATUS_WORDS } from "./crawl-types.ts";
import type { CrawlStatus } from "./crawl-types.ts";
import { forgetCrawl, knownCrawls, rememberCrawl } from "./known-crawls.ts";
import { StartCrawl } from "./start-crawl.tsx";

const RELOAD_MS = 5_000;

interface ActiveCrawls {
  crawls: { id: string; url: string; created_at: string }[];
}
interface Activity {
  data: { id: string; target: string | null; created_at: string }[];
}

/** The team's crawls of the last day, and those that were opened in this browser. */
export function CrawlList() {
  const known = useStore(knownCrawls);
  const { error, reload } = useLoaded(gather, [], RELOAD_MS);
  return (
    <>
      <PageHead title="Crawls" lead="Crawl whole sites and follow the progress live." />
      <StartCrawl />
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {known.length === 0 ? (
        <EmptyState icon="crawls" title="No crawls yet">
          <p>Enter a start URL above to run your first crawl.</p>
        </EmptyState>
      ) : (
        <section class="card" aria-label="Crawls">
          <ul class="records">
            {known.map(({ id, url, status, completed, total, atMs }) => (
              <li key={id} class="record">
                <a class="record-name breaking" href={hrefOf("jobs", id)}>
                  {url ?? id}
                </a>
                <StatusChip status={status} />
                <span class="faint">
                  {completed !== undefined && `${completed} of ${total ?? completed} pages · `}
                  {toAgo(atMs)}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

export function StatusChip({ status }: { status: string | undefined }) {
  const words = STATUS_WORDS[status as CrawlStatus["status"]] ?? { label: status ?? "Unknown", tone: "" };
  return <span class={`chip-status ${words.tone}`}>{words.label}</span>;
}

/** Adds the crawls that the service lists, and refreshes the status of those that were last seen running. */
async function gather(signal: AbortSignal): Promise<void> {
  const { crawls } = await ask<ActiveCrawls>("/v2/crawl/active", { signal });
  for (const { id, url, created_at } of crawls)
    rememberCrawl({ id, url, status: "scraping", atMs: Date.parse(created_at) });
  const activity = await ask<Activity>("/v2/team/activity?endpoint=crawl&limit=50", { signal }).catch(() => undefined);
  for (const { id, target, created_at } of activity?.data ?? []) {
    rememberCrawl({ id, url: target ?? undefined, atMs: Date.parse(created_at) });
  }
  const open = knownCrawls.get().filter(({ status }) => status === undefined || status === "scraping");
  await Promise.all(open.slice(0, 20).map(({ id, atMs }) => refreshStatus(id, atMs, signal)));
}

async function refreshStatus(id: string, atMs: number, signal: AbortSignal): Promise<void> {
  try {
    const { status, completed, total } = await ask<CrawlStatus>(`/v2/crawl/${id}?limit=1`, { signal });
    rememberCrawl({ id, status, completed, total, atMs });
  } catch (error) {
    const { status } = error as { status?: number };
    if (status === 404) forgetCrawl(id);
    else if (status === 200) rememberCrawl({ id, status: "failed", atMs });
  }
}
