import { useEffect, useState } from "preact/hooks";
import type { ApiError } from "../api/client.ts";
import type { Loaded } from "../api/use-loaded.ts";
import { toAgo } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { EmptyState, ErrorNotice, Loading } from "../parts/notices.tsx";
import { GuideLink, PageHead } from "../parts/page-head.tsx";
import { goTo } from "../router.ts";
import { hrefOf } from "../routes.ts";
import { OpenSession } from "./open-session.tsx";
import { LiveThumbnail } from "./live-thumbnail.tsx";
import { nameOf } from "./session-types.ts";
import type { Session } from "./session-types.ts";

/** Maximum number of live previews. Each counts as a viewer of its session. */
const MAX_LIVE = 6;
const MAX_ENDED = 50;

/** Active sessions with live previews, and ended sessions. */
export function SessionList({
  loaded,
  wanted,
}: {
  loaded: Loaded<Session[]>;
  wanted: "session" | "login" | undefined;
}) {
  const { value, error, reload } = loaded;
  const [isOpening, setOpening] = useState(wanted);
  useEffect(() => {
    if (wanted !== undefined) setOpening(wanted);
  }, [wanted]);
  const close = (): void => {
    setOpening(undefined);
    if (wanted !== undefined) goTo(hrefOf("sessions"));
  };
  const active = value?.filter(({ status }) => status === "active") ?? [];
  const ended = value?.filter(({ status }) => status !== "active") ?? [];
  return (
    <>
      <PageHead title="Sessions" lead="Remote browsers that you control from code or by hand.">
        {value !== undefined && (
          <>
            <GuideLink of="browser-sessions" />
            <button type="button" class="button" onClick={() => setOpening("login")}>
              <Icon name="keys" /> Save a login
            </button>
            <button type="button" class="button button-main" onClick={() => setOpening("session")}>
              <Icon name="plus" /> Create session
            </button>
          </>
        )}
      </PageHead>
      {error !== undefined && value === undefined && <NoSessions error={error} retry={reload} />}
      {value === undefined && error === undefined && <Loading what="sessions" />}
      {value !== undefined && active.length === 0 && (
        <EmptyState icon="sessions" title="No active sessions">
          <p>
            Create one to control a browser by hand, or from code with <code>POST /v2/browser</code>. A login that you
            save is there in later sessions and scrapes.
          </p>
        </EmptyState>
      )}
      <ul class="session-grid">
        {active.map((session, at) => (
          <li key={session.id} class="card session-card">
            <a href={hrefOf("sessions", session.id)} class="session-link">
              <LiveThumbnail session={session} isLive={at < MAX_LIVE} />
              <span class="session-name">{nameOf(session)}</span>
            </a>
            <span class="faint">
              Created {toAgo(session.createdAt)} · last used {toAgo(session.lastActivity)}
            </span>
          </li>
        ))}
      </ul>
      {ended.length > 0 && (
        <section class="card stack spaced" aria-label="Ended sessions">
          <h2>Ended</h2>
          <ul class="records">
            {ended.slice(0, MAX_ENDED).map(({ id, name, createdAt, lastActivity, recordSession }) => (
              <li key={id} class="record">
                <a class="record-name" href={hrefOf("sessions", id, { replay: "" })}>
                  {nameOf({ id, ...(name === undefined ? {} : { name }) })}
                </a>
                <span class="chip-status">{recordSession ? "Recorded" : "Not recorded"}</span>
                <span class="faint">
                  Created {toAgo(createdAt)} · last used {toAgo(lastActivity)}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {isOpening !== undefined && <OpenSession close={close} isLogin={isOpening === "login"} />}
    </>
  );
}

/** An error of the list. A service without sessions responds with 404 or 501. */
function NoSessions({ error, retry }: { error: ApiError; retry: () => void }) {
  if (error.status !== 404 && error.status !== 501) return <ErrorNotice error={error} retry={retry} />;
  return (
    <EmptyState icon="sessions" title="Browser sessions are not available">
      <p>
        {error.message} (<code>{error.code ?? error.status}</code>)
      </p>
    </EmptyState>
  );
}
