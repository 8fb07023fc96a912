import { ask } from "../api/client.ts";
import { readLinked } from "../api/read-parts.ts";
import { useLoaded } from "../api/use-loaded.ts";
import type { MonitorInfo } from "../monitors/monitor-types.ts";
import { toAgo, toCount } from "../parts/format.ts";
import { EmptyState, ErrorNotice, Loading } from "../parts/notices.tsx";
import { hrefOf } from "../routes.ts";
import type { Endpoint } from "./webhook-types.ts";

const MAX_MONITORS = 100;

/** The URLs that received events, and the monitors with a webhook. */
export function EndpointList() {
  const { value, error, reload } = useLoaded(async (signal) => {
    const [endpoints, monitors] = await Promise.all([
      ask<{ data: Endpoint[] }>("/v2/team/webhooks/endpoints", { signal }),
      // A key without the scope of monitors sees the endpoints alone.
      readLinked(`/v2/monitor?limit=${MAX_MONITORS}`, MAX_MONITORS, (path) =>
        ask<{ data: MonitorInfo[]; next?: string }>(path, { signal }),
      ).catch(() => ({ items: [] })),
    ]);
    return { endpoints: endpoints.data, monitors: monitors.items.filter(({ webhook }) => webhook !== null) };
  }, []);
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (value === undefined) return <Loading what="endpoints" />;
  const { endpoints, monitors } = value;
  if (endpoints.length + monitors.length === 0) {
    return (
      <EmptyState icon="webhooks" title="No endpoints yet">
        <p>
          An endpoint is listed here after its first delivery.{" "}
          <a href={hrefOf("webhooks", "test")}>Send a test event</a>.
        </p>
      </EmptyState>
    );
  }
  return (
    <div class="stack">
      <section class="card" aria-label="Endpoints">
        <ul class="records">
          {endpoints.map(({ url, deliveries, failed, lastSentAt }) => (
            <li key={url} class="record">
              <a class="record-name breaking" href={hrefOf("webhooks", undefined, { url })}>
                {url}
              </a>
              <span class={`chip-status ${failed === 0 ? "good" : "warn"}`}>
                {failed === 0 ? "All delivered" : `${toCount(failed)} failed`}
              </span>
              <span class="faint">
                {toCount(deliveries)} {deliveries === 1 ? "delivery" : "deliveries"} · {toAgo(lastSentAt)}
              </span>
            </li>
          ))}
        </ul>
      </section>
      {monitors.length > 0 && (
        <section class="card" aria-label="Webhooks of monitors">
          <h2>Webhooks of monitors</h2>
          <ul class="records">
            {monitors.map(({ id, name, webhook }) => (
              <li key={id} class="record">
                <a class="record-name breaking" href={hrefOf("monitors", id)}>
                  {name}
                </a>
                <span />
                <span class="faint breaking">{webhook?.url}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
