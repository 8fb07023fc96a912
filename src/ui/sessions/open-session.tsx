import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { sampleUrl } from "../api/sample.ts";
import { toApiError } from "../api/use-loaded.ts";
import { Dialog } from "../parts/dialog.tsx";
import { ErrorNotice } from "../parts/notices.tsx";
import { goTo } from "../router.ts";
import { hrefOf } from "../routes.ts";

const LIFETIMES: [seconds: number, label: string][] = [
  [300, "5 minutes"],
  [600, "10 minutes"],
  [1_800, "30 minutes"],
  [3_600, "1 hour"],
];

/** The form to create a session. Opens the start URL and shows the live view. */
export function OpenSession({ close }: { close: () => void }) {
  const [url, setUrl] = useState(sampleUrl);
  const [ttl, setTtl] = useState(600);
  const [isRecorded, setRecorded] = useState(true);
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const open = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const body = { ttl, activityTtl: ttl, streamWebView: true, recordSession: isRecorded };
      const { id } = await ask<{ id: string }>("/v2/browser", { body });
      await visit(id, url.trim());
      goTo(hrefOf("sessions", id));
    } catch (failure) {
      setError(toApiError(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Create session" close={close}>
      <form class="fields" onSubmit={(event) => void open(event)}>
        <div class="field">
          <label for="session-url">Start URL</label>
          <input id="session-url" type="url" value={url} onInput={(event) => setUrl(event.currentTarget.value)} />
        </div>
        <div class="field">
          <label for="session-ttl">Time to live</label>
          <select id="session-ttl" value={ttl} onChange={(event) => setTtl(Number(event.currentTarget.value))}>
            {LIFETIMES.map(([seconds, label]) => (
              <option key={seconds} value={seconds}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <label class="check">
          <input type="checkbox" checked={isRecorded} onChange={(event) => setRecorded(event.currentTarget.checked)} />
          Record this session for replay
        </label>
        {error !== undefined && <ErrorNotice error={error} />}
        <button type="submit" class="button button-main" disabled={isBusy}>
          {isBusy ? "Creating…" : "Create"}
        </button>
      </form>
    </Dialog>
  );
}

/** Loads the start URL. Ignores errors, because the session is usable without it and the live view shows them. */
async function visit(id: string, url: string): Promise<void> {
  if (url === "") return;
  const body = { language: "node", code: `await page.goto(${JSON.stringify(url)})` };
  await ask(`/v2/browser/${id}/execute`, { body }).catch(() => undefined);
}
