import { useState } from "preact/hooks";
import type { ApiError } from "../api/client.ts";
import type { Loaded } from "../api/use-loaded.ts";
import { toAgo } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { EmptyState, ErrorNotice, Loading } from "../parts/notices.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { hrefOf } from "../routes.ts";
import { OpenSession } from "./open-session.tsx";
import { LiveThumbnail } from "./live-thumbnail.tsx";
import type { Session } from "./session-types.ts";

/** So many are shown live at a time: each is a viewer of its own. */
const MAX_LIVE = 6;
const MAX_ENDED = 50;

/** Open sessions as they look now, and those that have ended. */
export function SessionList({ loaded }: { loaded: Loaded<Session[]> }) {
  const { value, error, reload } = loaded;
  const [isOpening, setOpening] = useState(false);
  const active = value?.filter(({ status }) => status === "active") ?? [];
  const ended = value?.filter(({ status }) => status !== "active") ?? [];
  return (
    <>
      <PageHead title="Sessions" lead="Browsers that programs and people drive, live.">
        {value !== undefined && (
          <button type="button" class="button button-main" onClick={() => setOpening(true)}>
            <Icon name="plus" /> Open a session
          </button>
        )}
      </PageHead>
      {error !== undefined && value === undefined && <NoSessions error={error} retry={reload} />}
      {value === undefined && error === undefined && <Loading what="the sessions" />}
      {value !== undefined && active.length === 0 && (
        <EmptyState icon="sessions" title="No session is open">
          <p>Open one here to drive a browser by hand, or from code with POST /v2/browser.</p>
        </EmptyState>
      )}
      <ul class="session-grid">
        {active.map((session, at) => (
          <li key={session.id} class="card session-card">
            <a href={hrefOf("sessions", session.id)} class="session-link">
              <LiveThumbnail session={session} isLive={at < MAX_LIVE} />
              <span class="session-name">Session {session.id.slice(0, 8)}</span>
            </a>
            <span class="faint">opened {toAgo(session.createdAt)}</span>
          </li>
        ))}
      </ul>
      {ended.length > 0 && (
        <section class="card spaced" aria-label="Ended sessions">
          <h2>Ended</h2>
          <ul class="records">
            {ended.slice(0, MAX_ENDED).map(({ id, createdAt, lastActivity }) => (
              <li key={id} class="record">
                <a class="record-name" href={hrefOf("sessions", id, { replay: "" })}>
                  Session {id.slice(0, 8)}
                </a>
                <span class="chip-status">Ended</span>
                <span class="faint">
                  opened {toAgo(createdAt)}, last used {toAgo(lastActivity)}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {isOpening && <OpenSession close={() => setOpening(false)} />}
    </>
  );
}

/** A service without sessions says so in its own words. */
function NoSessions({ error, retry }: { error: ApiError; retry: () => void }) {
  if (error.status !== 404 && error.status !== 501) return <ErrorNotice error={error} retry={retry} />;
  return (
    <EmptyState icon="sessions" title="This service has no browser sessions yet">
      <p>
        It answered: {error.message} (<code>{error.code ?? error.status}</code>)
      </p>
    </EmptyState>
  );
}
