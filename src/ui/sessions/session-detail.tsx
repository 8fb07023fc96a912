import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { toApiError } from "../api/use-loaded.ts";
import type { Loaded } from "../api/use-loaded.ts";
import { toAgo } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { EmptyState, ErrorNotice, Loading, WarningNotice } from "../parts/notices.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { hrefOf } from "../routes.ts";
import { ReplayPanel } from "./replay-panel.tsx";
import { ConnectPanel } from "./connect-panel.tsx";
import { LoginGuide } from "./login-guide.tsx";
import { openWarnings } from "./open-warnings.ts";
import { nameOf, onOwnOrigin } from "./session-types.ts";
import type { ClosedSession } from "./profile-outcome.ts";
import type { Session } from "./session-types.ts";
import { useSessionWatch } from "./watch/use-session-watch.ts";
import type { WatchedSession } from "./watch/use-session-watch.ts";
import { ActionsPanel, ConsolePanel, NetworkPanel } from "./watch/watch-panels.tsx";

const TABS = [
  { name: "live", label: "Live view" },
  { name: "replay", label: "Replay" },
  { name: "actions", label: "Actions as code" },
  { name: "console", label: "Console" },
  { name: "network", label: "Network" },
  { name: "connect", label: "Connect" },
] as const;
type TabName = (typeof TABS)[number]["name"];
/** Tabs that the dashboard fills over the session's CDP URL. */
const WATCHING: readonly string[] = ["actions", "console", "network"];

/** One session: its live view, its recording, what its pages log and request, and how to connect to it. */
export function SessionDetail(about: { id: string; loaded: Loaded<Session[]>; query: URLSearchParams }) {
  const { id, loaded, query } = about;
  const { value, error, reload } = loaded;
  const isLogin = query.has("login");
  const [chosen, setChosen] = useState<string | undefined>(query.has("replay") ? "replay" : undefined);
  const [isDriving, setDriving] = useState(isLogin);
  const [closed, setClosed] = useState<ClosedSession>();
  const session = value?.find((one) => one.id === id);
  const isActive = session?.status === "active";
  // An ended session opens on its replay.
  const tab = chosen ?? (session === undefined || isActive ? "live" : "replay");
  const watching = useSessionWatch(session, WATCHING.includes(tab));
  const openWarning = openWarnings.get(id);
  const choose = (name: string): void => setChosen(name);
  const done = (answer: ClosedSession): void => {
    setClosed(answer);
    reload();
  };
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf("sessions")}>Sessions</a>
      </p>
      <PageHead title={nameOf(session ?? { id })} {...(session === undefined ? {} : { lead: describe(session) })}>
        {session !== undefined && (
          <span class={`chip-status ${isActive ? "busy" : ""}`}>{isActive ? "Active" : "Ended"}</span>
        )}
        {isActive && (
          <>
            <button
              type="button"
              class="button button-main"
              aria-pressed={isDriving}
              onClick={() => {
                setDriving(!isDriving);
                setChosen("live");
              }}
            >
              <Icon name="hand" /> {isDriving ? "Watch only" : "Take control"}
            </button>
            <CloseButton id={id} done={done} />
          </>
        )}
      </PageHead>
      {error !== undefined && value === undefined && <ErrorNotice error={error} retry={reload} />}
      {value === undefined && error === undefined && <Loading what="session" />}
      {value !== undefined && session === undefined && (
        <EmptyState icon="sessions" title="Session not found">
          <p>
            <a href={hrefOf("sessions")}>View all sessions</a>
          </p>
        </EmptyState>
      )}
      {openWarning !== undefined && isActive && <WarningNotice>{openWarning}</WarningNotice>}
      {!isLogin && closed?.warning !== undefined && <WarningNotice>{closed.warning}</WarningNotice>}
      {session !== undefined && isLogin && <LoginGuide session={session} closed={closed} done={done} />}
      {session !== undefined && (
        <Tabs label="Session" tabs={TABS} chosen={tab} choose={choose}>
          {tab === "live" && <LiveView session={session} isDriving={isDriving} />}
          {tab === "replay" && <ReplayPanel id={id} isActive={isActive} />}
          {tab === "connect" && <ConnectPanel session={session} />}
          {WATCHING.includes(tab) && <WatchPanel tab={tab as TabName} session={session} {...watching} />}
        </Tabs>
      )}
    </>
  );
}

function describe({ createdAt, status, expiresAt, viewport, profile }: Session): string {
  const parts = [
    `Created ${toAgo(createdAt)}`,
    ...(status === "active" ? [`ends ${toAgo(expiresAt)}`] : []),
    ...(viewport === undefined ? [] : [`${viewport.width} × ${viewport.height}`]),
    ...(profile === undefined ? [] : [`profile ${profile}`]),
  ];
  return parts.join(" · ");
}

interface PanelProps extends WatchedSession {
  tab: TabName;
  session: Session;
}

function WatchPanel({ tab, session, watched, reconnect }: PanelProps) {
  if (session.status !== "active" && watched === undefined) {
    return (
      <EmptyState icon="sessions" title="Session ended">
        <p>Console, requests and actions are shown while a session is active. Recorded requests are under Replay.</p>
      </EmptyState>
    );
  }
  if (watched === undefined || watched.state === "connecting") return <Loading what="session" />;
  const isLost = session.status === "active" && watched.state === "closed";
  return (
    <>
      {isLost && (
        <WarningNotice>
          <p>Disconnected. What the pages do now is not shown.</p>
          <button type="button" class="button" onClick={reconnect}>
            Reconnect
          </button>
        </WarningNotice>
      )}
      {tab === "console" && <ConsolePanel watched={watched} />}
      {tab === "network" && <NetworkPanel watched={watched} />}
      {tab === "actions" && <ActionsPanel watched={watched} id={session.id} />}
    </>
  );
}

function LiveView({ session, isDriving }: { session: Session; isDriving: boolean }) {
  if (session.status !== "active")
    return <p class="faint">This session has ended. If it was recorded, you can watch it under Replay.</p>;
  const url = isDriving ? session.interactiveLiveViewUrl : session.liveViewUrl;
  return (
    <>
      <div class="live-place" style={frameStyle(session.viewport)}>
        <iframe
          key={url}
          class="live-frame"
          src={onOwnOrigin(url)}
          title={isDriving ? "Live view with mouse and keyboard control" : "Live view"}
          sandbox="allow-scripts allow-same-origin allow-forms"
          allow="clipboard-read; clipboard-write"
        />
      </div>
      <p class="hint">
        <a href={onOwnOrigin(url)} target="_blank" rel="noopener">
          Open in new tab
        </a>
        {" · "}
        <a href={hrefOf("playground", undefined, { op: "post /v2/browser/{id}/execute", id: session.id })}>
          Run code in this session
        </a>
      </p>
    </>
  );
}

/** Returns the proportions of the picture, from which the styles derive the height of its frame. */
function frameStyle(viewport: Session["viewport"] = { width: 1280, height: 720 }): Record<string, number> {
  return { "--picture": viewport.height / viewport.width };
}

function CloseButton({ id, done }: { id: string; done: (closed: ClosedSession) => void }) {
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const close = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      done(await ask<ClosedSession>(`/v2/browser/${id}`, { method: "DELETE" }));
    } catch (failure) {
      setError(toApiError(failure));
    }
    setBusy(false);
  };
  return (
    <>
      {error !== undefined && <ErrorNotice error={error} />}
      <button type="button" class="button button-danger" disabled={isBusy} onClick={() => void close()}>
        <Icon name="close" /> Close session
      </button>
    </>
  );
}
