import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { toApiError } from "../api/use-loaded.ts";
import type { Loaded } from "../api/use-loaded.ts";
import { toAgo } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { EmptyState, ErrorNotice, Loading } from "../parts/notices.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { hrefOf } from "../routes.ts";
import { ReplayPanel } from "./replay-panel.tsx";
import { onOwnOrigin } from "./session-types.ts";
import type { Session } from "./session-types.ts";

/** One session with its live view, to watch or control it, and its recording. */
export function SessionDetail(about: { id: string; loaded: Loaded<Session[]>; wantsReplay: boolean }) {
  const { id, loaded, wantsReplay } = about;
  const { value, error, reload } = loaded;
  const [tab, setTab] = useState(wantsReplay ? "replay" : "live");
  const [isDriving, setDriving] = useState(false);
  const session = value?.find((one) => one.id === id);
  const isActive = session?.status === "active";
  const tabs = [
    { name: "live", label: "Live view" },
    { name: "replay", label: "Replay" },
  ];
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf("sessions")}>Sessions</a>
      </p>
      <PageHead
        title={`Session ${id.slice(0, 8)}`}
        {...(session === undefined ? {} : { lead: `Created ${toAgo(session.createdAt)}` })}
      >
        {session !== undefined && (
          <span class={`chip-status ${isActive ? "busy" : ""}`}>{isActive ? "Active" : "Ended"}</span>
        )}
        {isActive && (
          <>
            <button
              type="button"
              class="button button-main"
              aria-pressed={isDriving}
              onClick={() => setDriving(!isDriving)}
            >
              <Icon name="hand" /> {isDriving ? "Watch only" : "Take control"}
            </button>
            <CloseButton id={id} done={reload} />
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
      {session !== undefined && (
        <Tabs label="Session" tabs={tabs} chosen={tab} choose={setTab}>
          {tab === "live" && <LiveView session={session} isDriving={isDriving} />}
          {tab === "replay" && <ReplayPanel id={id} isActive={isActive} />}
        </Tabs>
      )}
    </>
  );
}

function LiveView({ session, isDriving }: { session: Session; isDriving: boolean }) {
  if (session.status !== "active")
    return <p class="faint">This session has ended. If it was recorded, you can watch it under Replay.</p>;
  const url = isDriving ? session.interactiveLiveViewUrl : session.liveViewUrl;
  return (
    <>
      <iframe
        key={url}
        class="live-frame"
        src={onOwnOrigin(url)}
        title={isDriving ? "Live view with mouse and keyboard control" : "Live view"}
        sandbox="allow-scripts allow-same-origin allow-forms"
        allow="clipboard-read; clipboard-write"
      />
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

function CloseButton({ id, done }: { id: string; done: () => void }) {
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const close = async (): Promise<void> => {
    setBusy(true);
    try {
      await ask(`/v2/browser/${id}`, { method: "DELETE" });
      done();
    } catch (failure) {
      setError(toApiError(failure));
    }
    setBusy(false);
  };
  if (error !== undefined) return <ErrorNotice error={error} />;
  return (
    <button type="button" class="button button-danger" disabled={isBusy} onClick={() => void close()}>
      <Icon name="close" /> Close session
    </button>
  );
}
