import { useEffect, useRef, useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { toApiError } from "../api/use-loaded.ts";
import { toWords } from "../parts/format.ts";
import { ErrorNotice, Loading } from "../parts/notices.tsx";
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
  const { entries, hasMore, error, reload, loadMore } = useActivity(endpoint, failedOnly);
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
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {entries === undefined && error === undefined && <Loading what="requests" />}
      {entries?.length === 0 && (
        <p class="faint">
          {failedOnly ? "No request failed in the last 24 hours." : "No requests in the last 24 hours."}
        </p>
      )}
      <ul class="records">
        {entries?.map((entry) => (
          <LogEntry key={`${entry.id} ${entry.created_at}`} entry={entry} />
        ))}
      </ul>
      {hasMore && (
        <button type="button" class="button" onClick={loadMore}>
          Load more
        </button>
      )}
    </section>
  );
}

interface LoadedActivity {
  /** undefined until the first page has arrived. */
  entries: ActivityEntry[] | undefined;
  hasMore: boolean;
  error: ApiError | undefined;
  reload: () => void;
  loadMore: () => void;
}

/** Loads the log page by page, from the start when the filter changes. */
function useActivity(endpoint: string, failedOnly: boolean): LoadedActivity {
  const [{ entries, cursor }, setList] = useState<{ entries?: ActivityEntry[]; cursor: string | null }>({
    cursor: null,
  });
  const [error, setError] = useState<ApiError>();
  const leaving = useRef(new AbortController());
  const load = async (from: string | null): Promise<void> => {
    const { signal } = leaving.current;
    const query = new URLSearchParams({ limit: String(PAGE_SIZE) });
    if (endpoint !== "") query.set("endpoint", endpoint);
    if (failedOnly) query.set("outcome", "failed");
    if (from !== null) query.set("cursor", from);
    try {
      const page = await ask<ActivityResponse>(`/v2/team/activity?${query}`, { signal });
      if (signal.aborted) return;
      setList((now) => ({
        entries: [...(from === null ? [] : (now.entries ?? [])), ...page.data],
        cursor: page.has_more ? page.cursor : null,
      }));
      setError(undefined);
    } catch (failure) {
      if (!signal.aborted) setError(toApiError(failure));
    }
  };
  useEffect(() => {
    leaving.current = new AbortController();
    setList({ cursor: null });
    setError(undefined);
    void load(null);
    return () => leaving.current.abort();
  }, [endpoint, failedOnly]);
  return { entries, hasMore: cursor !== null, error, reload: () => void load(null), loadMore: () => void load(cursor) };
}
