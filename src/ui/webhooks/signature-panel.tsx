import { useEffect, useState } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { TextField } from "../parts/form/form-fields.tsx";
import { checkSignatures } from "./check-signatures.ts";
import type { SignatureCheck } from "./check-signatures.ts";

/** Verifies an event with the secret that the reader enters. The secret stays in this tab. */
export function SignaturePanel({ headers, body }: { headers: string; body: string }) {
  const [secret, setSecret] = useState("");
  const [checks, setChecks] = useState<SignatureCheck[]>([]);
  useEffect(() => {
    let isWanted = true;
    if (secret === "" || headers === "") setChecks([]);
    else {
      void checkSignatures({ headers, body, secret: secret.trim(), nowMs: Date.now() }).then((found) => {
        if (isWanted) setChecks(found);
      });
    }
    return () => {
      isWanted = false;
    };
  }, [headers, body, secret]);
  const passes = checks.length > 0 && checks.every((check) => check.passes);
  return (
    <div class="stack">
      <TextField
        id="webhook-secret"
        label="Webhook secret"
        type="password"
        hint={
          <>
            The value of <code>WEBHOOK_SECRET</code>. <code>npm start</code> stores it in <code>keys.json</code>. It is
            used in this tab only.
          </>
        }
        value={secret}
        change={setSecret}
      />
      <div role="status" class="stack">
        {checks.length > 0 && (
          <p class={passes ? "signature-passes" : "problem"}>
            <strong>{passes ? "The signature check passes." : "The signature check fails."}</strong>
          </p>
        )}
        <ul class="checks">
          {checks.map((check) => (
            <li key={check.name} class={check.passes ? "check-passes" : "check-fails"}>
              <Icon name={check.passes ? "check" : "close"} />
              <span>
                <strong>{check.name}</strong> {check.detail}
              </span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
