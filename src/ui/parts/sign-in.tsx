import { useEffect, useState } from "preact/hooks";
import { send } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { isKey, signIn } from "../api/keys.ts";
import { toApiError } from "../api/use-loaded.ts";
import { failureOf } from "../api/client.ts";
import { KeyField, NO_KEY } from "./key-field.tsx";
import { ErrorNotice } from "./notices.tsx";
import { Logo } from "./logo.tsx";

/** Cheap, counts against the mildest limit, and answers every valid key. */
const PROBE = "/v2/crawl/active";

/** Asks for a key, unless the service answers without one. */
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
          <code>npm start</code> prints the key, and an address that signs you in. The key stays in this browser.
        </p>
        <KeyField label="API key" value={text} change={setText} problem={problem} />
        <label class="check">
          <input
            type="checkbox"
            checked={isRemembered}
            onChange={(event) => setRemembered(event.currentTarget.checked)}
          />
          Remember on this computer
        </label>
        {error !== undefined && <ErrorNotice error={error} />}
        <button type="submit" class="button button-main" disabled={isBusy}>
          {isBusy ? "Signing in" : "Sign in"}
        </button>
      </form>
    </main>
  );
}

async function check(key: string): Promise<ApiError | undefined> {
  const response = await fetch(PROBE, { headers: { Authorization: `Bearer ${key}` } }).catch(() => undefined);
  if (response === undefined) return toApiError(new Error("The service does not answer. Is it still running?"));
  return failureOf({ status: response.status, body: await response.json().catch(() => undefined) });
}
