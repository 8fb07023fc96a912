import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { toApiError } from "../api/use-loaded.ts";
import { LinesField, TextField } from "../parts/form/form-fields.tsx";
import { ErrorNotice } from "../parts/notices.tsx";
import { ExchangeView } from "./exchange-view.tsx";
import { SignaturePanel } from "./signature-panel.tsx";
import { headerLines } from "./webhook-types.ts";
import type { Exchange } from "./webhook-types.ts";

/** Sends a signed test event to a URL, and verifies its signatures or those of an event that the reader received. */
export function WebhookTester() {
  const [url, setUrl] = useState("");
  const [sent, setSent] = useState<Exchange>();
  const [received, setReceived] = useState({ headers: "", body: "" });
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const { data } = await ask<{ data: Exchange }>("/v2/team/webhooks/test", { body: { url: url.trim() } });
      setSent(data);
      setReceived({ headers: headerLines(data.request.headers), body: data.request.body });
    } catch (failure) {
      setError(toApiError(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="stack">
      <form class="card start-crawl" onSubmit={(event) => void send(event)}>
        <div class="grow">
          <TextField
            id="webhook-url"
            label="Endpoint URL"
            type="url"
            placeholder="https://example.com/hook"
            hint="A private address is refused, unless the service allows it."
            value={url}
            change={setUrl}
          />
        </div>
        <button type="submit" class="button button-main" disabled={isBusy || url.trim() === ""}>
          {isBusy ? "Sending…" : "Send test event"}
        </button>
        {error !== undefined && <ErrorNotice error={error} />}
      </form>
      {sent !== undefined && (
        <section class="card stack" aria-label="Test delivery">
          <h2>Test delivery</h2>
          <ExchangeView exchange={sent} />
        </section>
      )}
      <section class="card stack" aria-label="Signature check">
        <h2>Signature check</h2>
        <p class="faint">
          Verifies the test event above, or an event that you paste from your receiver. A receiver does the same:{" "}
          <a href="/docs/webhooks#verify-an-event" target="_blank">
            code for JavaScript and Python
          </a>
          .
        </p>
        <SignaturePanel {...received} />
        <details class="more" open={sent === undefined}>
          <summary>The event that is verified</summary>
          <div class="fields spaced">
            <LinesField
              id="webhook-headers"
              label="Headers"
              placeholder={"webhook-id: …\nwebhook-timestamp: …\nwebhook-signature: v1,…"}
              value={received.headers}
              change={(headers) => setReceived((earlier) => ({ ...earlier, headers }))}
            />
            <LinesField
              id="webhook-body"
              label="Body, exactly as it was received"
              value={received.body}
              change={(body) => setReceived((earlier) => ({ ...earlier, body }))}
            />
          </div>
        </details>
      </section>
    </div>
  );
}
