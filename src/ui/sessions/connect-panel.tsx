import { useState } from "preact/hooks";
import { CopyButton } from "../parts/copy-button.tsx";
import { CodeBlock } from "../parts/document/code-block.tsx";
import { EmptyState } from "../parts/notices.tsx";
import { connectCode } from "./session-form.ts";
import type { Session } from "./session-types.ts";

const CLIENTS = ["Playwright", "Puppeteer", "Playwright (Python)"] as const;

/** The CDP URL of an active session, and code that connects to it. */
export function ConnectPanel({ session }: { session: Session }) {
  const [client, setClient] = useState<(typeof CLIENTS)[number]>("Playwright");
  if (session.status !== "active") {
    return (
      <EmptyState icon="sessions" title="Session ended">
        <p>The CDP URL was valid until the session ended.</p>
      </EmptyState>
    );
  }
  return (
    <div class="stack">
      <div class="field">
        <label for="session-cdp">CDP URL</label>
        <div class="row">
          <input id="session-cdp" class="mono" readOnly value={session.cdpUrl} aria-describedby="session-cdp-hint" />
          <CopyButton text={session.cdpUrl} label="Copy URL" />
        </div>
        <p class="hint" id="session-cdp-hint">
          It contains its own token: everyone who has it controls this session until it ends.
        </p>
      </div>
      <div class="chips" role="group" aria-label="Client">
        {CLIENTS.map((name) => (
          <button key={name} type="button" class="chip" aria-pressed={name === client} onClick={() => setClient(name)}>
            {name}
          </button>
        ))}
      </div>
      <CodeBlock text={connectCode(client, session.cdpUrl)} label={`Code for ${client}`} />
    </div>
  );
}
