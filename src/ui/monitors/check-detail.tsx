import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import { pathOfLink, readParts } from "../api/read-parts.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { toCount, toDateTime } from "../parts/format.ts";
import { ErrorNotice, Loading } from "../parts/notices.tsx";
import { checkWords, countsInWords, isOpen } from "./monitor-types.ts";
import type { CheckDetail as Detail, CheckInfo, CheckedPage, MonitorInfo, WatchedTarget } from "./monitor-types.ts";
import { PageChange } from "./page-change.tsx";

const RELOAD_MS = 2_000;
const FIRST_PAGES = 25;
/** The most that one request lists. */
const PAGES_AT_ONCE = 100;

const FILTERS = [
  ["", "All"],
  ["changed", "Changed"],
  ["new", "New"],
  ["removed", "Removed"],
  ["error", "Failed"],
  ["same", "No change"],
] as const;

/** One check: its outcome, and the pages with their differences. */
export function CheckDetail({ monitor, check }: { monitor: MonitorInfo; check: CheckInfo }) {
  const [filter, setFilter] = useState("");
  const [count, setCount] = useState(FIRST_PAGES);
  const status = filter === "" ? "" : `&status=${filter}`;
  const path = `/v2/monitor/${monitor.id}/checks/${check.id}?limit=${Math.min(count, PAGES_AT_ONCE)}${status}`;
  const { value, error, isLoading, isStale, reload } = useLoaded(
    (signal) =>
      readParts(path, count, async (part) => {
        const { data, next } = await ask<{ data: Detail; next?: string }>(part, { signal });
        return { items: data.pages, next: next === undefined ? undefined : pathOfLink(next) };
      }),
    [path, count, check.status],
    isOpen(check) ? RELOAD_MS : undefined,
  );
  const isWaiting = value === undefined || (isStale && value.items.length === 0);
  const [label, tone] = checkWords(check.status);
  return (
    <section class="stack" aria-label="Check">
      <header class="check-head">
        <h2>Check of {toDateTime(check.createdAt)}</h2>
        <span class={`chip-status ${tone}`}>{label}</span>
        <span class="faint">
          {[
            countsInWords(check.summary),
            check.trigger === "manual" ? "started by hand" : "scheduled",
            `${toCount(check.actualCredits)} ${check.actualCredits === 1 ? "credit" : "credits"}`,
          ]
            .filter(Boolean)
            .join(" · ")}
        </span>
      </header>
      {check.error !== null && <p class="problem">{check.error}</p>}
      {check.summary.totalPages > 1 && (
        <div class="chips" role="group" aria-label="Pages to show">
          {FILTERS.map(([name, text]) => (
            <button
              key={name}
              type="button"
              class="chip"
              aria-pressed={name === filter}
              onClick={() => {
                setFilter(name);
                setCount(FIRST_PAGES);
              }}
            >
              {text}
            </button>
          ))}
        </div>
      )}
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {isWaiting && error === undefined && <Loading what="the check" />}
      {value !== undefined && !isWaiting && (
        <div class="stack" aria-busy={isStale}>
          <Pages monitor={monitor} pages={value.items} />
        </div>
      )}
      {value?.hasMore === true && (
        <button
          type="button"
          class="button"
          disabled={isLoading}
          onClick={() => setCount(value.items.length + PAGES_AT_ONCE)}
        >
          Load more pages
        </button>
      )}
    </section>
  );
}

function Pages({ monitor, pages }: { monitor: MonitorInfo; pages: readonly CheckedPage[] }) {
  if (pages.length === 0) return <p class="faint">No pages.</p>;
  return (
    <>
      {pages.map((page, at) => (
        <PageChange key={page.id} page={page} isFirst={at === 0} hasPicture={takesPicture(monitor, page.targetId)} />
      ))}
    </>
  );
}

function takesPicture({ targets }: MonitorInfo, targetId: string): boolean {
  const target: WatchedTarget | undefined = targets.find(({ id }) => id === targetId);
  const formats = target?.scrapeOptions?.formats ?? [];
  return formats.some((format) => (typeof format === "string" ? format : format.type).startsWith("screenshot"));
}
