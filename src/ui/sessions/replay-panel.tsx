import { ask } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { toDuration } from "../parts/format.ts";
import { EmptyState, ErrorNotice, Loading } from "../parts/notices.tsx";
import { onOwnOrigin } from "./session-types.ts";
import type { Replay } from "./session-types.ts";

/** The player for the recording of a session. */
export function ReplayPanel({ id, isActive }: { id: string; isActive: boolean }) {
  const { value, error, reload } = useLoaded(
    (signal) => ask<Replay>(`/v2/browser/${id}/replay`, { signal }),
    [id, isActive],
  );
  if (error !== undefined && (error.status === 404 || error.status === 501)) {
    return (
      <EmptyState icon="sessions" title="No recording">
        <p>
          {isActive ? "The recording has not started yet or is not enabled" : "Recording was not enabled"} for this
          session.
        </p>
        <p>
          {error.message} (<code>{error.code ?? error.status}</code>)
        </p>
        <button type="button" class="button" onClick={reload}>
          Check again
        </button>
      </EmptyState>
    );
  }
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (value === undefined) return <Loading what="recording" />;
  return (
    <div class="stack">
      {value.playerUrl !== undefined && (
        <iframe
          class="live-frame replay-frame"
          src={onOwnOrigin(value.playerUrl)}
          title="Session recording"
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
            Download network log (HAR)
          </a>
        </p>
      )}
    </div>
  );
}
