import { CodeBlock } from "../parts/document/code-block.tsx";
import { toDateTime, toDuration } from "../parts/format.ts";
import { headerLines, indented, OUTCOME_WORDS } from "./webhook-types.ts";
import type { Delivery, Exchange } from "./webhook-types.ts";

export function OutcomeChip({ delivery: { outcome, statusCode } }: { delivery: Delivery }) {
  const [label, tone] = OUTCOME_WORDS[outcome];
  return <span class={`chip-status ${tone}`}>{statusCode === null ? label : `${label} · ${statusCode}`}</span>;
}

/** One delivery: the request as it was sent, and the response of the receiver. */
export function ExchangeView({ exchange }: { exchange: Exchange }) {
  const { type, url, attempt, sentAt, durationMs, error, request, response } = exchange;
  return (
    <div class="stack">
      <p class="check-head">
        <OutcomeChip delivery={exchange} /> <strong>{type}</strong>
        <span class="faint">
          attempt {attempt} · {toDateTime(sentAt)} · {toDuration(durationMs)}
        </span>
      </p>
      <p class="breaking">{url}</p>
      {error !== null && <p class="problem">{error}</p>}
      <div class="exchange">
        <section class="stack" aria-label="Request">
          <h3>Request</h3>
          <CodeBlock label="Request headers" text={headerLines(request.headers)} />
          <CodeBlock label="Request body" text={indented(request.body)} />
        </section>
        <section class="stack" aria-label="Response">
          <h3>Response</h3>
          {response === null ? (
            <p class="faint">The receiver did not respond.</p>
          ) : (
            <>
              <p class="faint">{response.contentType ?? "No media type"}</p>
              {response.body === "" ? (
                <p class="faint">The body is empty.</p>
              ) : (
                <CodeBlock label="Response body" text={indented(response.body)} />
              )}
            </>
          )}
        </section>
      </div>
    </div>
  );
}
