import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { sampleUrl } from "../api/sample.ts";
import { toApiError } from "../api/use-loaded.ts";
import { Dialog } from "../parts/dialog.tsx";
import { CheckField, ChoiceField, TextField } from "../parts/form/form-fields.tsx";
import { ErrorNotice } from "../parts/notices.tsx";
import { goTo } from "../router.ts";
import { hrefOf } from "../routes.ts";
import { openWarnings } from "./open-warnings.ts";
import { sessionBody } from "./session-form.ts";
import type { SessionForm } from "./session-form.ts";

const LIFETIMES: [seconds: number, label: string][] = [
  [300, "5 minutes"],
  [600, "10 minutes"],
  [1_800, "30 minutes"],
  [3_600, "1 hour"],
];
const VIEWPORTS: [size: string, label: string][] = [
  ["1280x720", "1280 × 720, laptop"],
  ["1440x900", "1440 × 900, desktop"],
  ["1920x1080", "1920 × 1080, full HD"],
  ["820x1180", "820 × 1180, tablet"],
  ["390x844", "390 × 844, phone"],
];

/**
 * The form to create a session. Opens the start URL and shows the live view.
 * @param isLogin True to save a login: the form asks for the profile that the session saves.
 */
export function OpenSession({ close, isLogin }: { close: () => void; isLogin: boolean }) {
  const [form, setForm] = useState<SessionForm>(() => ({
    name: "",
    url: sampleUrl(),
    viewport: "1280x720",
    ttl: isLogin ? 1_800 : 600,
    isRecorded: !isLogin,
    profile: "",
    savesProfile: isLogin,
  }));
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const change = (part: Partial<SessionForm>): void => setForm({ ...form, ...part });
  const open = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const { id, warning } = await ask<{ id: string; warning?: string }>("/v2/browser", { body: sessionBody(form) });
      if (warning !== undefined) openWarnings.set(id, warning);
      await visit(id, form.url.trim());
      goTo(hrefOf("sessions", id, isLogin ? { login: "" } : {}));
    } catch (failure) {
      setError(toApiError(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog title={isLogin ? "Save a login" : "Create session"} close={close}>
      <form class="fields" onSubmit={(event) => void open(event)}>
        {isLogin && (
          <p class="faint">
            Log in to a site by hand once. Its cookies and storage are saved, encrypted, as a profile that later
            sessions start with.
          </p>
        )}
        {isLogin && <ProfileField form={form} change={change} isRequired />}
        <TextField
          id="session-url"
          label={isLogin ? "Login page" : "Start URL"}
          type="url"
          maxLength={2_000}
          value={form.url}
          change={(url) => change({ url })}
        />
        {!isLogin && (
          <TextField
            id="session-name"
            label="Name (optional)"
            maxLength={100}
            value={form.name}
            change={(name) => change({ name })}
          />
        )}
        <div class="field-pair">
          <ChoiceField
            id="session-viewport"
            label="Viewport"
            value={form.viewport}
            choices={VIEWPORTS}
            change={(viewport) => change({ viewport })}
          />
          <ChoiceField
            id="session-ttl"
            label="Time to live"
            value={String(form.ttl)}
            choices={LIFETIMES.map(([seconds, label]) => [String(seconds), label])}
            change={(ttl) => change({ ttl: Number(ttl) })}
          />
        </div>
        {!isLogin && (
          <details>
            <summary>Profile</summary>
            <div class="fields spaced">
              <ProfileField form={form} change={change} />
              <CheckField
                label="Save changes to the profile when the session is closed"
                isChecked={form.savesProfile}
                change={(savesProfile) => change({ savesProfile })}
              />
            </div>
          </details>
        )}
        <CheckField
          label="Record this session for replay"
          isChecked={form.isRecorded}
          change={(isRecorded) => change({ isRecorded })}
        />
        {error !== undefined && <ErrorNotice error={error} />}
        <button type="submit" class="button button-main" disabled={isBusy}>
          {isBusy ? "Creating…" : isLogin ? "Open login page" : "Create"}
        </button>
      </form>
    </Dialog>
  );
}

interface FormPart {
  form: SessionForm;
  change: (part: Partial<SessionForm>) => void;
}

function ProfileField({ form, change, isRequired = false }: FormPart & { isRequired?: boolean }) {
  return (
    <TextField
      id="session-profile"
      label="Profile name"
      maxLength={100}
      value={form.profile}
      isRequired={isRequired}
      hint="Sessions with the same profile name share cookies and storage."
      change={(profile) => change({ profile })}
    />
  );
}

/** Loads the start URL. Ignores errors, because the session is usable without it and the live view shows them. */
async function visit(id: string, url: string): Promise<void> {
  if (url === "") return;
  const body = { language: "node", code: `await page.goto(${JSON.stringify(url)})` };
  await ask(`/v2/browser/${id}/execute`, { body }).catch(() => undefined);
}
