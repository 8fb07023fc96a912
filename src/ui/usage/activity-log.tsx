import { useEffect, useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { toApiError } from "../api/use-loaded.ts";
import { toAgo, toDuration, toWords } from "../parts/format.ts";
import { ErrorNotice } from "../parts/notices.tsx";
import type { ActivityResponse, ActivityEntry } from "./usage-types.ts";

const ENDPOINTS = ["scrape", "crawl", "batch_scrape", "map", "search", "extract", "agent", "browser", "interact"];
const PAGE_SIZE = 50;

/** The requests of the last 24 hours. */
export function ActivityLog() {
  const [endpoint, setEndpoint] = useState("");
  const [entries, setEntries] = useState<ActivityEntry[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  const [error, setError] = useState<ApiError>();

  const load = async (from: string | null, earlier: ActivityEntry[]): Promise<void> => {
    const query = new URLSearchParams({ limit: String(PAGE_SIZE) });
    if (endpoint !== "") query.set("endpoint", endpoint);
    if (from !== null) query.set("cursor", from);
    try {
      const answer = await ask<ActivityResponse>(`/v2/team/activity?${query}`);
      setEntries([...earlier, ...answer.data]);
      setCursor(answer.has_more ? answer.cursor : null);
      setError(undefined);
    } catch (failure) {
      setError(toApiError(failure));
    }
  };
  useEffect(() => void load(null, []), [endpoint]);

  return (
    <section class="card stack" aria-label="Activity">
      <div class="row spread">
        <h2>Activity in the last 24 hours</h2>
        <select
          aria-label="Endpoint"
          class="short"
          value={endpoint}
          onChange={(event) => setEndpoint(event.currentTarget.value)}
        >
          <option value="">All endpoints</option>
          {ENDPOINTS.map((name) => (
            <option key={name} value={name}>
              {toWords(name)}
            </option>
          ))}
        </select>
      </div>
      {error !== undefined && <ErrorNotice error={error} />}
      {entries.length === 0 && error === undefined && <p class="faint">No requests in the last 24 hours.</p>}
      <ul class="records">
        {entries.map((entry) => (
          <ActivityRecord key={entry.id} entry={entry} />
        ))}
      </ul>
      {cursor !== null && (
        <button type="button" class="button" onClick={() => void load(cursor, entries)}>
          Load more
        </button>
      )}
    </section>
  );
}

function ActivityRecord({ entry }: { entry: ActivityEntry }) {
  const { endpoint, target, created_at, succeeded = true, duration_ms, credits_used } = entry;
  const facts = [
    duration_ms === undefined ? undefined : toDuration(duration_ms),
    credits_used === undefined ? undefined : `${credits_used} ${credits_used === 1 ? "credit" : "credits"}`,
    toAgo(created_at),
  ].filter((fact) => fact !== undefined);
  return (
    <li class="record">
      <span class="breaking">
        <strong>{toWords(endpoint)}</strong> {target}
      </span>
      <span class={`chip-status ${succeeded ? "good" : "bad"}`}>{succeeded ? "OK" : "Failed"}</span>
      <span class="faint">{facts.join(" · ")}</span>
    </li>
  );
}
