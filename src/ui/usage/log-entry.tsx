import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { adviceFor } from "../jobs/explain-failure.ts";
import { Attempts } from "../parts/attempts.tsx";
import type { Attempt } from "../parts/attempts.tsx";
import { toAgo, toBytes, toClock, toDateTime, toDuration, toWords } from "../parts/format.ts";
import { hrefOf } from "../routes.ts";
import { toDollars } from "./measures.ts";
import type { ActivityEntry } from "./usage-types.ts";

const JOB_ENDPOINTS = new Set(["crawl", "batch_scrape", "extract", "agent", "llmstxt", "deep_research"]);

/** A request in the log. It opens to its error, attempts, timing and receipt. */
export function LogEntry({ entry }: { entry: ActivityEntry }) {
  const [isOpen, setOpen] = useState(false);
  const { endpoint, target, created_at, succeeded = true, duration_ms, credits_used, code } = entry;
  const facts = [
    duration_ms === undefined ? undefined : toDuration(duration_ms),
    credits_used === undefined ? undefined : `${credits_used} ${credits_used === 1 ? "credit" : "credits"}`,
    toAgo(created_at),
  ].filter((fact) => fact !== undefined);
  return (
    <li class="log-entry">
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class="log-summary">
          <span class="cut">
            <strong>{toWords(endpoint)}</strong> {target}
          </span>
          <span class={`chip-status ${succeeded ? "good" : "bad"}`}>{succeeded ? "OK" : (code ?? "Failed")}</span>
          <span class="faint no-break" title={toDateTime(created_at)}>
            {facts.join(" · ")}
            <span class="visually-hidden"> at {toClock(created_at)}</span>
          </span>
        </summary>
        {isOpen && <EntryDetails entry={entry} />}
      </details>
    </li>
  );
}

function EntryDetails({ entry }: { entry: ActivityEntry }) {
  const {
    id,
    endpoint,
    target,
    created_at,
    duration_ms = 0,
    error,
    code,
    engine,
    attempts = [],
    timing = [],
    cost,
  } = entry;
  const advice = adviceFor(code, error);
  const facts: [string, string][] = [
    ["Time", toDateTime(created_at)],
    ["Duration", toDuration(duration_ms)],
    ...(engine === undefined ? [] : [["Engine", engine] satisfies [string, string]]),
    ...(cost === undefined
      ? []
      : ([
          ["Estimated cost", toDollars(cost.dollars)],
          ["CPU time", toDuration(cost.cpuMs)],
          ["Browser time", toDuration(cost.browserMs)],
          ["Data fetched", toBytes(cost.bytes)],
        ] satisfies [string, string][])),
  ];
  return (
    <div class="stack log-details">
      {target !== null && <p class="breaking">{target}</p>}
      {error !== undefined && (
        <div class="notice notice-error">
          <div>
            <p class="notice-text">{error}</p>
            {advice !== undefined && <p>{advice}</p>}
          </div>
        </div>
      )}
      <dl class="facts">
        {facts.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {timing.length > 0 && <Waterfall steps={timing} />}
      <TriedEngines attempts={attempts} />
      {endpoint === "scrape" && entry.succeeded !== false && <StoredAttempts id={id} />}
      {JOB_ENDPOINTS.has(endpoint) && (
        <p>
          <a href={hrefOf("jobs", id)}>Open the job</a>
        </p>
      )}
      <p class="faint mono breaking">{id}</p>
    </div>
  );
}

/** The steps of a request one after the other, each as long as it took. */
function Waterfall({ steps }: { steps: readonly { step: string; ms: number }[] }) {
  const total = Math.max(
    1,
    steps.reduce((sum, { ms }) => sum + ms, 0),
  );
  let before = 0;
  return (
    <div>
      <h3>Timing</h3>
      <ul class="waterfall">
        {steps.map(({ step, ms }) => {
          const left = (before / total) * 100;
          before += ms;
          return (
            <li key={step}>
              <span>{toWords(step)}</span>
              <span class="waterfall-track">
                <span class="waterfall-bar" style={{ left: `${left}%`, width: `max(2px, ${(ms / total) * 100}%)` }} />
              </span>
              <span class="faint no-break">{toDuration(ms)}</span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

interface Stored {
  data: {
    metadata?: {
      cacheState?: string;
      attempts?: Attempt[];
    };
  };
}

/** The engines that were tried, as the stored result of the scrape has them. */
function StoredAttempts({ id }: { id: string }) {
  const { value, error } = useLoaded((signal) => ask<Stored>(`/v2/scrape/${encodeURIComponent(id)}`, { signal }), [id]);
  if (error !== undefined) return <p class="faint">The result of this scrape is no longer stored.</p>;
  return <TriedEngines attempts={value?.data.metadata?.attempts ?? []} />;
}

function TriedEngines({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return null;
  return (
    <section aria-label="Attempts">
      <h3>Attempts</h3>
      <Attempts attempts={attempts} />
    </section>
  );
}
