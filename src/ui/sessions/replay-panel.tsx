import { ask } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { toDuration } from "../parts/format.ts";
import { EmptyState, ErrorNotice, Loading } from "../parts/notices.tsx";
import { onOwnOrigin } from "./session-types.ts";
import type { Replay } from "./session-types.ts";

/** What was recorded of a session, played in place. */
export function ReplayPanel({ id, isActive }: { id: string; isActive: boolean }) {
  const { value, error, reload } = useLoaded(
    (signal) => ask<Replay>(`/v2/browser/${id}/replay`, { signal }),
    [id, isActive],
  );
  if (error !== undefined && (error.status === 404 || error.status === 501)) {
    return (
      <EmptyState icon="sessions" title="There is no recording">
        <p>
          {isActive ? "It may not have begun yet, or the" : "The"} session was opened without one: {error.message} (
          <code>{error.code ?? error.status}</code>)
        </p>
        <button type="button" class="button" onClick={reload}>
          Look again
        </button>
      </EmptyState>
    );
  }
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (value === undefined) return <Loading what="the recording" />;
  return (
    <div class="stack">
      {value.playerUrl !== undefined && (
        <iframe
          class="live-frame"
          src={onOwnOrigin(value.playerUrl)}
          title="Recording of the session"
          sandbox="allow-scripts allow-same-origin"
        />
      )}
      <ol class="attempts">
        {value.pages.map(({ pageId, pageUrl, title, startTimeMs, endTimeMs }) => (
          <li key={pageId} class="breaking">
            {title === undefined || title === "" ? pageUrl : `${title}, ${pageUrl}`}{" "}
            <span class="faint">{toDuration(endTimeMs - startTimeMs)}</span>
          </li>
        ))}
      </ol>
      {value.networkUrl !== undefined && (
        <p>
          <a href={onOwnOrigin(value.networkUrl)} download>
            Download its requests (HAR)
          </a>
        </p>
      )}
    </div>
  );
}
