import { ask } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { KIND_WORDS } from "../jobs/job-types.ts";
import { toBytes, toCount, toDateTime } from "../parts/format.ts";
import { ErrorNotice, Loading } from "../parts/notices.tsx";
import { hrefOf } from "../routes.ts";
import type { StorageResponse } from "./usage-types.ts";

/** The results that are stored, and the times at which they are deleted. */
export function StorageCard() {
  const { value, error, reload } = useLoaded((signal) => ask<StorageResponse>("/v2/team/storage", { signal }), []);
  return (
    <section class="card stack" aria-label="Storage">
      <h2>Storage</h2>
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {value === undefined && error === undefined && <Loading what="storage" />}
      {value !== undefined && (
        <>
          {value.jobs.length === 0 && <p class="faint">No results of jobs are stored.</p>}
          <ul class="records">
            {value.jobs.map(({ kind, count, firstExpiresAt, lastExpiresAt }) => (
              <li key={kind} class="record budget">
                <a href={hrefOf("jobs", undefined, { kind })}>{KIND_WORDS[kind]}</a>
                <span>{toCount(count)}</span>
                <span class="faint">
                  {toDateTime(firstExpiresAt) === toDateTime(lastExpiresAt)
                    ? `Deleted on ${toDateTime(firstExpiresAt)}`
                    : `Deleted from ${toDateTime(firstExpiresAt)} to ${toDateTime(lastExpiresAt)}`}
                </span>
              </li>
            ))}
          </ul>
          {[value.searchIndex.warning, value.database.warning].map(
            (warning) =>
              warning !== undefined && (
                <div key={warning} class="notice notice-warning" role="status">
                  <p class="notice-text">{warning}</p>
                </div>
              ),
          )}
          <dl class="facts">
            {(
              [
                ["Results are stored", value.retentionHours.results],
                ["Pages are cached", value.retentionHours.pageCache],
                ["Pages are searchable", value.retentionHours.searchIndex],
              ] as const
            ).map(([name, hours]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{toHours(hours)}</dd>
              </div>
            ))}
            <div>
              <dt>Search index</dt>
              <dd>
                {toCount(value.searchIndex.pages)} pages, {toBytes(value.searchIndex.bytes)}
              </dd>
            </div>
          </dl>
        </>
      )}
    </section>
  );
}

function toHours(hours: number): string {
  if (hours === 0) return "Not at all";
  return hours >= 48 && hours % 24 === 0 ? `${hours / 24} days` : `${Number(hours.toFixed(1))} hours`;
}
