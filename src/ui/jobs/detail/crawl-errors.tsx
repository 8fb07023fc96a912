import { ask } from "../../api/client.ts";
import { useLoaded } from "../../api/use-loaded.ts";
import { toAgo } from "../../parts/format.ts";
import { LinkList } from "../../parts/document/link-list.tsx";
import { ErrorNotice, Loading } from "../../parts/notices.tsx";
import type { CrawlErrors } from "../crawl-types.ts";

/** Failed pages with their errors, and URLs that robots.txt blocks. */
export function CrawlErrorsTab({ id, failed, isRunning }: { id: string; failed: number; isRunning: boolean }) {
  const { value, error, reload } = useLoaded(
    (signal) => ask<CrawlErrors>(`/v2/crawl/${id}/errors`, { signal }),
    [id, failed, isRunning],
  );
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (value === undefined) return <Loading what="errors" />;
  const { errors, robotsBlocked } = value;
  if (errors.length === 0 && robotsBlocked.length === 0) return <p class="faint">No errors.</p>;
  return (
    <div class="stack">
      {errors.length > 0 && (
        <div class="table-box" tabIndex={0} role="region" aria-label="Failed pages">
          <table>
            <thead>
              <tr>
                <th scope="col">URL</th>
                <th scope="col">Error</th>
                <th scope="col">Time</th>
              </tr>
            </thead>
            <tbody>
              {errors.map((one) => (
                <tr key={one.id}>
                  <th scope="row" class="breaking">
                    {one.url}
                  </th>
                  <td>
                    {one.error}
                    {one.code !== undefined && (
                      <>
                        {" "}
                        <code class="faint">{one.code}</code>
                      </>
                    )}
                  </td>
                  <td class="no-break">{toAgo(one.timestamp)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {robotsBlocked.length > 0 && (
        <div class="stack">
          <h3>Blocked by robots.txt</h3>
          <LinkList urls={robotsBlocked} />
        </div>
      )}
    </div>
  );
}
