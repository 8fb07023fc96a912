import { useState } from "preact/hooks";
import { useLoaded } from "../../api/use-loaded.ts";
import { toAgo } from "../../parts/format.ts";
import { LinkList } from "../../parts/document/link-list.tsx";
import { ErrorNotice, Loading } from "../../parts/notices.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import type { CrawlErrors } from "../crawl-types.ts";
import { adviceFor } from "../explain-failure.ts";
import { readErrors } from "./read-errors.ts";

const ROW_HEIGHT = 76;

/** Failed pages with their errors and advice, and URLs that robots.txt blocks. */
export function CrawlErrorsTab({ path, failed, isRunning }: { path: string; failed: number; isRunning: boolean }) {
  const [parts, setParts] = useState(1);
  const { value, error, isLoading, reload } = useLoaded(
    (signal) => readErrors(path, parts, signal),
    [path, failed, isRunning, parts],
  );
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (value === undefined) return <Loading what="errors" />;
  const { errors, robotsBlocked, hasMore } = value;
  if (errors.length === 0 && robotsBlocked.length === 0) return <p class="faint">No errors.</p>;
  return (
    <div class="stack">
      {errors.length > 0 && (
        <VirtualList
          label="Failed pages"
          count={errors.length}
          rowHeight={ROW_HEIGHT}
          keyOf={(at) => errors[at]?.id ?? at}
          render={(at) => <FailedPage failure={errors[at]} />}
        />
      )}
      {robotsBlocked.length > 0 && (
        <div class="stack">
          <h2>Blocked by robots.txt</h2>
          <LinkList urls={robotsBlocked} />
        </div>
      )}
      {hasMore && (
        <div>
          <button type="button" class="button" disabled={isLoading} onClick={() => setParts(parts + 1)}>
            {isLoading ? "Loading…" : "Load more errors"}
          </button>
        </div>
      )}
    </div>
  );
}

function FailedPage({ failure }: { failure: CrawlErrors["errors"][number] | undefined }) {
  if (failure === undefined) return null;
  const { url, error, code, timestamp } = failure;
  const advice = adviceFor(code, error);
  return (
    <div class="failed-page">
      <a href={url} target="_blank" rel="noopener noreferrer" class="cut" title={url}>
        {url}
      </a>
      <span class="cut" title={error}>
        {error} {code !== undefined && <code class="faint">{code}</code>}
      </span>
      <span class="faint cut" title={advice}>
        {toAgo(timestamp)}
        {advice !== undefined && ` · ${advice}`}
      </span>
    </div>
  );
}
