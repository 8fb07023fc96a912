import { useState } from "preact/hooks";
import { isKey, setAdminKey } from "../api/keys.ts";

/** Keys are managed with a key that is allowed to; the one of the sign-in is not. */
export function AdminSignIn({ hasTried }: { hasTried: boolean }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState(hasTried ? "That key may not manage keys." : undefined);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isKey(text)) setAdminKey(text.trim());
    else setProblem("A key is fc- followed by 32 hexadecimal digits.");
  };
  return (
    <form class="card narrow stack" onSubmit={submit} noValidate>
      <h2>Managing keys needs the admin key</h2>
      <p class="faint">
        <code>npm start</code> keeps it in <code>.wrangler/state/orbweaver/keys.json</code>. On your account it is the
        secret <code>ADMIN_KEY</code>.
      </p>
      <div class="field">
        <label for="admin-key">Admin key</label>
        <input
          id="admin-key"
          type="password"
          autocomplete="off"
          placeholder="fc-…"
          value={text}
          aria-invalid={problem !== undefined}
          aria-describedby="admin-key-problem"
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <p class="problem" id="admin-key-problem" role="alert">
          {problem}
        </p>
      </div>
      <div>
        <button type="submit" class="button button-main">
          Use this key
        </button>
      </div>
    </form>
  );
}
