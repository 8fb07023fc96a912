import { useEffect, useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { sampleUrl } from "../api/sample.ts";
import { toApiError, useLoaded } from "../api/use-loaded.ts";
import { toAgo, toDuration, toWords } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { ErrorNotice } from "../parts/notices.tsx";
import { hrefOf } from "../routes.ts";
import { arrivedSince, clientInWords } from "./activity.ts";
import type { Arrival } from "./activity.ts";
import { readArrivals } from "./read-arrivals.ts";

const RELOAD_MS = 1_500;

/** Watches the activity and shows the calls that arrive while this view is open. Sends one on request. */
export function CallWatch() {
  const [earlier, setEarlier] = useState<Arrival[]>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const { value, error: unread, reload } = useLoaded((signal) => readArrivals(signal), [], RELOAD_MS);
  useEffect(() => {
    if (value !== undefined) setEarlier((known) => known ?? value);
  }, [value]);
  const arrived = earlier === undefined || value === undefined ? [] : arrivedSince(earlier, value);
  const call = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await ask("/v2/scrape", { body: { url: sampleUrl(), origin: "dashboard" } });
      reload();
    } catch (failure) {
      setError(toApiError(failure));
    } finally {
      setBusy(false);
    }
  };
  const shown = error ?? unread;
  return (
    <section class="card stack" aria-label="Test the connection">
      <div class="row spread">
        <h2>Test the connection</h2>
        <button type="button" class="button" disabled={isBusy || earlier === undefined} onClick={() => void call()}>
          {isBusy ? "Sending…" : "Send a test call"}
        </button>
      </div>
      <p class="faint">
        Run your program now, or send a test call from this page. It scrapes <code>{sampleUrl()}</code> for 1 credit.
      </p>
      {shown !== undefined && <ErrorNotice error={shown} />}
      <div role="status">
        {arrived.length === 0 ? (
          <p class="loading">
            <span class="pulse" aria-hidden="true" /> Waiting for a call…
          </p>
        ) : (
          <p class="signature-passes">
            <Icon name="check" /> <strong>The call has arrived.</strong>
          </p>
        )}
      </div>
      <ul class="records" aria-label="Calls">
        {arrived.map((arrival) => (
          <li key={arrival.id} class="record">
            <span class="breaking">
              <strong>{toWords(arrival.endpoint)}</strong> {arrival.target}{" "}
              <span class="faint">from {clientInWords(arrival)}</span>
            </span>
            <span class={`chip-status ${arrival.succeeded ? "good" : "bad"}`}>
              {arrival.succeeded ? "OK" : "Failed"}
            </span>
            <span class="faint">
              {toDuration(arrival.duration_ms)} · {toAgo(arrival.created_at)}
            </span>
          </li>
        ))}
      </ul>
      {arrived.length > 0 && (
        <p>
          All requests are listed under <a href={hrefOf("usage")}>Usage</a>.
        </p>
      )}
    </section>
  );
}
