import { useEffect, useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { toApiError } from "../api/use-loaded.ts";
import { toWords } from "../parts/format.ts";
import { ErrorNotice } from "../parts/notices.tsx";
import { LogEntry } from "./log-entry.tsx";
import type { ActivityResponse, ActivityEntry } from "./usage-types.ts";

const ENDPOINTS = [
  "scrape", "parse", "crawl", "batch_scrape", "map", "search", "extract", "agent", "deep_research", "llmstxt", "browser",
  "interact", "monitor",
]; // prettier-ignore
const PAGE_SIZE = 50;

/** The requests of the last 24 hours. */
export function ActivityLog() {
  const [endpoint, setEndpoint] = useState("");
  const [failedOnly, setFailedOnly] = useState(false);
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

  const shown = failedOnly ? entries.filter(({ succeeded }) => succeeded === false) : entries;
  return (
    <section class="card stack" aria-label="Log">
      <div class="log-head">
        <h2>Log of the last 24 hours</h2>
        <label class="check">
          <input
            type="checkbox"
            checked={failedOnly}
            onChange={(event) => setFailedOnly(event.currentTarget.checked)}
          />
          Failed only
        </label>
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
      {shown.length === 0 && error === undefined && (
        <p class="faint">
          {failedOnly ? "No failed request among those loaded." : "No requests in the last 24 hours."}
        </p>
      )}
      <ul class="records">
        {shown.map((entry) => (
          <LogEntry key={`${entry.id} ${entry.created_at}`} entry={entry} />
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
