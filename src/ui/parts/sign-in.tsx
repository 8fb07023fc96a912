import { useEffect, useState } from "preact/hooks";
import { send } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { isKey, signIn } from "../api/keys.ts";
import { toApiError } from "../api/use-loaded.ts";
import { failureOf } from "../api/client.ts";
import { KeyField, NO_KEY } from "./form/key-field.tsx";
import { ErrorNotice } from "./notices.tsx";
import { Logo } from "./logo.tsx";

/** A cheap route with a high rate limit that every valid key may use. */
const PROBE = "/v2/team/queue-status";

/** The sign-in form. Signs in without a key if the service does not require one. */
export function SignIn() {
  const [text, setText] = useState("");
  const [isRemembered, setRemembered] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);

  useEffect(() => {
    void send(PROBE).then(
      (answer) => answer.status === 200 && signIn({ key: "", adminKey: undefined }, false),
      (failure: unknown) => setError(toApiError(failure)),
    );
  }, []);

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const key = text.trim();
    setError(undefined);
    setProblem(isKey(key) ? undefined : NO_KEY);
    if (!isKey(key)) return;
    setBusy(true);
    const failure = await check(key);
    setBusy(false);
    if (failure === undefined) signIn({ key, adminKey: undefined }, isRemembered);
    else setError(failure);
  };

  return (
    <main class="sign-in">
      <form class="card sign-in-card" onSubmit={(event) => void submit(event)} noValidate>
        <Logo />
        <h1>Sign in</h1>
        <p class="faint">
          <code>npm start</code> prints your API key and a sign-in link. The key is stored in this browser only.
        </p>
        <KeyField label="API key" value={text} change={setText} problem={problem} />
        <label class="check">
          <input
            type="checkbox"
            checked={isRemembered}
            onChange={(event) => setRemembered(event.currentTarget.checked)}
          />
          Remember me on this device
        </label>
        {error !== undefined && <ErrorNotice error={error} />}
        <button type="submit" class="button button-main" disabled={isBusy}>
          {isBusy ? "Signing in…" : "Sign in"}
        </button>
      </form>
    </main>
  );
}

async function check(key: string): Promise<ApiError | undefined> {
  const response = await fetch(PROBE, { headers: { Authorization: `Bearer ${key}` } }).catch(() => undefined);
  if (response === undefined) return toApiError(new Error("Cannot reach the service. Check that it is running."));
  return failureOf({ status: response.status, body: await response.json().catch(() => undefined) });
}
