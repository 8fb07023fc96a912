import { useEffect, useState } from "preact/hooks";
import { toAgo, toCount, toDateTime, toDuration } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { EmptyState, ErrorNotice, Loading } from "../parts/notices.tsx";
import { GuideLink, PageHead } from "../parts/page-head.tsx";
import { hrefOf } from "../routes.ts";
import { PERIODS, filterOf, setParts } from "./job-filter.ts";
import type { JobFilter } from "./job-filter.ts";
import { KIND_WORDS, STATE_WORDS } from "./job-types.ts";
import type { Job } from "./job-types.ts";
import { StartCrawl } from "./start-crawl.tsx";
import { StateChip } from "./state-chip.tsx";
import { useJobList } from "./live/use-job-list.ts";

/** Milliseconds without a key press after which a search begins. */
const SEARCH_AFTER_MS = 250;
/** Characters of a job's ID that state its time in milliseconds, by which jobs of the same minute differ. */
const ID_START = 13;

/** The team's jobs of all kinds, as long as they are stored, with filters. */
export function JobList({ query }: { query: URLSearchParams }) {
  const [filter, setFilter] = useState(() => filterOf(query));
  // A link to another filter opens the same view.
  const [opened, setOpened] = useState(query);
  if (query !== opened) {
    setOpened(query);
    setFilter(filterOf(query));
  }
  const { jobs, hasMore, error, reload, loadMore } = useJobList(filter);
  const change = (part: Partial<JobFilter>): void => setFilter((now) => ({ ...now, ...part }));
  // The URL names the filter, without an entry in the history for each key press.
  useEffect(() => history.replaceState(null, "", hrefOf("jobs", undefined, setParts(filter))), [filter]);
  const isFiltered = Object.keys(setParts(filter)).length > 0;
  return (
    <>
      <PageHead title="Jobs" lead="Crawls, batch scrapes, extracts, agents, research and monitor checks of your team.">
        <GuideLink of="crawl" />
      </PageHead>
      <StartCrawl />
      <section class="card stack" aria-label="Jobs">
        <Filters filter={filter} change={change} />
        {error !== undefined && <ErrorNotice error={error} retry={reload} />}
        {jobs === undefined && error === undefined && <Loading what="jobs" />}
        {jobs?.length === 0 && (
          <NoJobs isFiltered={isFiltered} hasMore={hasMore} reset={() => change(filterOf(new URLSearchParams()))} />
        )}
        {jobs !== undefined && jobs.length > 0 && (
          <ul class="records job-records">
            <li class="list-head" aria-hidden="true">
              <span>Target</span>
              <span>Status</span>
              <span>Pages</span>
              <span>Duration</span>
              <span>Started</span>
            </li>
            {jobs.map((job) => (
              <JobRecord key={job.id} job={job} />
            ))}
          </ul>
        )}
        {hasMore && <MoreButton load={loadMore} />}
      </section>
    </>
  );
}

function Filters({ filter, change }: { filter: JobFilter; change: (part: Partial<JobFilter>) => void }) {
  const [search, setSearch] = useState(filter.search);
  useEffect(() => setSearch(filter.search), [filter.search]);
  useEffect(() => {
    if (search.trim() === filter.search) return undefined;
    const timer = setTimeout(() => change({ search: search.trim() }), SEARCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [search]);
  return (
    <div class="job-filters" role="search" aria-label="Filter jobs">
      <input
        type="search"
        aria-label="Search by URL or ID"
        placeholder="Search by URL or ID"
        spellcheck={false}
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      <Choice
        label="Kind"
        all="Any kind"
        value={filter.kind}
        options={Object.entries(KIND_WORDS)}
        choose={(kind) => change({ kind: kind as JobFilter["kind"] })}
      />
      <Choice
        label="Status"
        all="Any status"
        value={filter.status}
        options={Object.entries(STATE_WORDS).map(([name, { label }]) => [name, label])}
        choose={(status) => change({ status: status as JobFilter["status"] })}
      />
      <Choice
        label="Time"
        all="Any time"
        value={filter.time}
        options={PERIODS.map(({ name, label }) => [name, label])}
        choose={(time) => change({ time })}
      />
    </div>
  );
}

interface ChoiceProps {
  label: string;
  all: string;
  value: string;
  options: [string, string][];
  choose: (value: string) => void;
}

function Choice({ label, all, value, options, choose }: ChoiceProps) {
  return (
    <select aria-label={label} value={value} onChange={(event) => choose(event.currentTarget.value)}>
      <option value="">{all}</option>
      {options.map(([name, text]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </select>
  );
}

function JobRecord({ job }: { job: Job }) {
  const { id, kind, status, target, pages, createdAt, endedAt, expiresAt } = job;
  return (
    <li class="record job-record">
      <span class="job-name">
        <a class="record-name breaking" href={hrefOf("jobs", id)}>
          {target === "" ? id : target}
        </a>
        <span class="faint job-kind">
          {KIND_WORDS[kind]} <code>{id.slice(0, ID_START)}</code>
        </span>
      </span>
      <StateChip status={status} />
      <span class="job-numbers">
        <span>{pages !== undefined && <Pages pages={pages} />}</span>
        <span>{endedAt !== null && toDuration(Date.parse(endedAt) - Date.parse(createdAt))}</span>
        <span title={`Started ${toDateTime(createdAt)}. Results are deleted ${toDateTime(expiresAt)}.`}>
          {toAgo(createdAt)}
        </span>
      </span>
    </li>
  );
}

/** The scraped pages and, if there are any, those that failed. The head of the list names the unit where it is wide. */
function Pages({ pages: { completed, total, failed } }: { pages: NonNullable<Job["pages"]> }) {
  return (
    <>
      {completed === total ? toCount(completed) : `${toCount(completed)} of ${toCount(total)}`}
      <span class="job-unit"> {total === 1 ? "page" : "pages"}</span>
      {failed > 0 && ` · ${toCount(failed)} failed`}
    </>
  );
}

function NoJobs({ isFiltered, hasMore, reset }: { isFiltered: boolean; hasMore: boolean; reset: () => void }) {
  if (!isFiltered) {
    return (
      <EmptyState icon="crawls" title="No jobs yet">
        <p>
          Enter a start URL above to run your first crawl, or{" "}
          <a href={hrefOf("playground", undefined, { op: "post /v2/extract" })}>extract data in the playground</a>.
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon="search" title={hasMore ? "No match among the newest jobs" : "No jobs match this filter"}>
      <p>Jobs are listed until their results are deleted.</p>
      <button type="button" class="button" onClick={reset}>
        Clear filter
      </button>
    </EmptyState>
  );
}

function MoreButton({ load }: { load: () => Promise<void> }) {
  const [isBusy, setBusy] = useState(false);
  const press = async (): Promise<void> => {
    setBusy(true);
    await load();
    setBusy(false);
  };
  return (
    <div>
      <button type="button" class="button" disabled={isBusy} onClick={() => void press()}>
        <Icon name="clock" /> {isBusy ? "Loading…" : "Load older jobs"}
      </button>
    </div>
  );
}
