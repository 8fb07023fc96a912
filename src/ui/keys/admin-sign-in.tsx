import { useState } from "preact/hooks";
import { isKey, setAdminKey } from "../api/keys.ts";
import { KeyField, NO_KEY } from "../parts/key-field.tsx";

/** Keys are managed with a key that is allowed to; the one of the sign-in is not. */
export function AdminSignIn({ hasTried }: { hasTried: boolean }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState(hasTried ? "That key may not manage keys." : undefined);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isKey(text)) setAdminKey(text.trim());
    else setProblem(NO_KEY);
  };
  return (
    <form class="card narrow stack" onSubmit={submit} noValidate>
      <h2>Managing keys needs the admin key</h2>
      <p class="faint">
        <code>npm start</code> keeps it in <code>.wrangler/state/orbweaver/keys.json</code>. On your account it is the
        secret <code>ADMIN_KEY</code>.
      </p>
      <KeyField label="Admin key" value={text} change={setText} problem={problem} />
      <div>
        <button type="submit" class="button button-main">
          Use this key
        </button>
      </div>
    </form>
  );
}
