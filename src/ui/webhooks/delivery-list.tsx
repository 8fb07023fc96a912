import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { toAgo, toClock, toDateTime } from "../parts/format.ts";
import { EmptyState, ErrorNotice, Loading } from "../parts/notices.tsx";
import { hrefOf } from "../routes.ts";
import { DeliveryDialog } from "./delivery-dialog.tsx";
import { OutcomeChip } from "./exchange-view.tsx";
import { OUTCOME_WORDS } from "./webhook-types.ts";
import type { Delivery } from "./webhook-types.ts";

const RELOAD_MS = 5_000;
const FIRST = 50;
const MOST = 100;

const OUTCOMES = [
  ["", "All"],
  ["delivered", "Delivered"],
  ["failed", "Failed"],
] as const;

/** The team's deliveries, newest first, of one endpoint if `url` is given. */
export function DeliveryList({ url }: { url: string | undefined }) {
  const [outcome, setOutcome] = useState("");
  const [limit, setLimit] = useState(FIRST);
  const [openId, setOpenId] = useState<string>();
  const query = new URLSearchParams({ limit: String(limit) });
  if (outcome !== "") query.set("outcome", outcome);
  if (url !== undefined) query.set("url", url);
  const { value, error, isStale, reload } = useLoaded(
    (signal) => ask<{ data: Delivery[]; next?: string }>(`/v2/team/webhooks/deliveries?${query}`, { signal }),
    [outcome, url, limit],
    RELOAD_MS,
  );
  // Deliveries that are known already are shown while those of another filter load.
  const known = value?.data.filter((delivery) => outcome === "" || (delivery.outcome === "delivered") === (outcome === "delivered")); // prettier-ignore
  const isWaiting = known === undefined || (isStale && known.length === 0);
  return (
    <section class="stack" aria-label="Deliveries">
      <div class="chips" role="group" aria-label="Outcome">
        {OUTCOMES.map(([name, label]) => (
          <button
            key={name}
            type="button"
            class="chip"
            aria-pressed={name === outcome}
            onClick={() => setOutcome(name)}
          >
            {label}
          </button>
        ))}
        {url !== undefined && (
          <a class="chip" href={hrefOf("webhooks")}>
            Endpoint {url} ×
          </a>
        )}
      </div>
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {isWaiting && error === undefined && <Loading what="deliveries" />}
      {known !== undefined && !isWaiting && <Listed deliveries={known} open={setOpenId} isFiltered={outcome !== ""} />}
      {value?.next !== undefined && limit < MOST && (
        <button type="button" class="button" onClick={() => setLimit(MOST)}>
          Show more
        </button>
      )}
      {openId !== undefined && (
        <DeliveryDialog key={openId} id={openId} close={() => setOpenId(undefined)} replayed={reload} />
      )}
    </section>
  );
}

interface ListedProps {
  deliveries: readonly Delivery[];
  open: (id: string) => void;
  isFiltered: boolean;
}

function Listed({ deliveries, open, isFiltered }: ListedProps) {
  if (deliveries.length === 0) {
    return (
      <EmptyState icon="webhooks" title={isFiltered ? "No such deliveries" : "No deliveries yet"}>
        <p>
          Crawls, batches, extracts, agents and monitors send their events to the <code>webhook</code> of the request.
        </p>
        <p>
          <a href={hrefOf("webhooks", "test")}>Send a test event</a> or{" "}
          <a href="/docs/webhooks" target="_blank">
            read the guide
          </a>
          .
        </p>
      </EmptyState>
    );
  }
  return (
    <ul class="records card">
      {deliveries.map((delivery) => (
        <li key={delivery.id} class="record">
          <button type="button" class="link-button breaking" onClick={() => open(delivery.id)}>
            <span class="record-name">{delivery.type}</span> <span class="faint">{delivery.url}</span>{" "}
            <span class="visually-hidden">{nameOf(delivery)}</span>
          </button>
          <OutcomeChip delivery={delivery} />
          <span class="faint" title={toDateTime(delivery.sentAt)}>
            attempt {delivery.attempt} · {toAgo(delivery.sentAt)}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Tells deliveries of one event to one endpoint apart, for screen readers. */
function nameOf({ outcome, statusCode, attempt, sentAt }: Delivery): string {
  const [label] = OUTCOME_WORDS[outcome];
  return [label, statusCode, `attempt ${attempt}`, toClock(sentAt)].filter((part) => part !== null).join(", ");
}
