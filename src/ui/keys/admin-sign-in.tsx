import { useState } from "preact/hooks";
import { isKey, setAdminKey } from "../api/keys.ts";
import { KeyField, NO_KEY } from "../parts/form/key-field.tsx";

/** The form for an admin key, shown if the key of the sign-in cannot manage keys. */
export function AdminSignIn({ hasTried }: { hasTried: boolean }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState(hasTried ? "This key does not have permission to manage keys." : undefined);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isKey(text)) setAdminKey(text.trim());
    else setProblem(NO_KEY);
  };
  return (
    <form class="card narrow stack" onSubmit={submit} noValidate>
      <h2>Admin key required</h2>
      <p class="faint">
        <code>npm start</code> stores it in <code>.wrangler/state/orbweaver/keys.json</code>. In a deployment, it is the
        secret <code>ADMIN_KEY</code>.
      </p>
      <KeyField label="Admin key" value={text} change={setText} problem={problem} />
      <div>
        <button type="submit" class="button button-main">
          Continue
        </button>
      </div>
    </form>
  );
}
