import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { toApiError } from "../api/use-loaded.ts";
import { sampleUrl } from "../api/sample.ts";
import { CodeBlock } from "../parts/document/code-block.tsx";
import { Icon } from "../parts/icon.tsx";
import { ErrorNotice, WarningNotice } from "../parts/notices.tsx";
import { requestLink } from "../playground/request/request-link.ts";
import { hrefOf } from "../routes.ts";
import { profileCommand } from "./session-form.ts";
import { profileOutcome } from "./profile-outcome.ts";
import type { ClosedSession, ProfileOutcome } from "./profile-outcome.ts";
import type { Session } from "./session-types.ts";

interface GuideProps {
  session: Session;
  /** The answer to the deletion of the session, if it was deleted in this view. */
  closed: ClosedSession | undefined;
  done: (closed: ClosedSession) => void;
}

/** The steps to save a login: log in by hand, save the profile, use it. */
export function LoginGuide({ session, closed, done }: GuideProps) {
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const [wasActive] = useState(session.status === "active");
  const { profile = "" } = session;
  const save = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      done(await ask<ClosedSession>(`/v2/browser/${session.id}`, { method: "DELETE" }));
    } catch (failure) {
      setError(toApiError(failure));
    }
    setBusy(false);
  };
  // While the own deletion runs, the list may show the session as ended already.
  const hasEnded = session.status !== "active" && !isBusy;
  if (hasEnded || closed !== undefined)
    return <LoginEnd profile={profile} closed={closed} outcome={profileOutcome(closed, wasActive)} />;
  return (
    <section class="card login-guide" aria-label="Save a login">
      <ol>
        <li>Log in to the site in the live view below. You have control of it.</li>
        <li>When you are logged in, save the profile. This closes the session.</li>
      </ol>
      {error !== undefined && <ErrorNotice error={error} />}
      <button type="button" class="button button-main" disabled={isBusy} onClick={() => void save()}>
        {isBusy ? "Saving…" : "Save profile and close"}
      </button>
    </section>
  );
}

/** Shows what has become of the profile, and how it is used. */
function LoginEnd({
  profile,
  closed,
  outcome,
}: Pick<GuideProps, "closed"> & { profile: string; outcome: ProfileOutcome }) {
  if (outcome === "not saved" || outcome === "unknown") {
    return (
      <section class="card login-guide" aria-label="Session ended">
        <h2>Session ended{outcome === "not saved" && `, profile “${profile}” not saved`}</h2>
        <p>A profile is saved only when its session is closed before it ends by itself.</p>
        <a class="button button-main" href={hrefOf("sessions", undefined, { login: "" })}>
          Save a login again
        </a>
      </section>
    );
  }
  return (
    <section class="card login-guide" aria-label={outcome === "saved" ? "Profile saved" : "Session ended"}>
      {outcome === "saved" ? <h2>Profile “{profile}” is saved</h2> : <h2>Session ended</h2>}
      {closed?.warning !== undefined && <WarningNotice>{closed.warning}</WarningNotice>}
      <p>
        Sessions that are created with this profile start logged in. <code>saveChanges: false</code> leaves the profile
        unchanged, so that several sessions can use it at once.
      </p>
      <p>
        <a
          class="button button-main"
          href={requestLink({
            operation: "post /v2/scrape",
            body: { url: sampleUrl(), formats: ["markdown"], profile: { name: profile } },
          })}
        >
          <Icon name="playground" /> Scrape with this login
        </a>
      </p>
      <CodeBlock text={profileCommand(location.origin, profile)} label="Request with the profile" />
    </section>
  );
}
