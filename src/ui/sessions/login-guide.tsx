import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { toApiError } from "../api/use-loaded.ts";
import { sampleUrl } from "../api/sample.ts";
import { CodeBlock } from "../parts/document/code-block.tsx";
import { Icon } from "../parts/icon.tsx";
import { ErrorNotice } from "../parts/notices.tsx";
import { requestLink } from "../playground/request/request-link.ts";
import { profileCommand } from "./session-form.ts";
import type { Session } from "./session-types.ts";

/** The steps to save a login: log in by hand, save the profile, use it. */
export function LoginGuide({ session, done }: { session: Session; done: () => void }) {
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const { profile = "" } = session;
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      await ask(`/v2/browser/${session.id}`, { method: "DELETE" });
      done();
    } catch (failure) {
      setError(toApiError(failure));
    }
    setBusy(false);
  };
  if (session.status !== "active") {
    return (
      <section class="card login-guide" aria-label="Profile saved">
        <h2>Profile “{profile}” is saved</h2>
        <p>
          Sessions that are created with this profile start logged in. <code>saveChanges: false</code> leaves the
          profile unchanged, so that several sessions can use it at once.
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
