import type { ApiResponse } from "../../api/client.ts";
import { Attempts } from "../../parts/attempts.tsx";
import type { Attempt } from "../../parts/attempts.tsx";
import { toDuration, toWords } from "../../parts/format.ts";
import { readServerTiming } from "./server-timing.ts";

const COUNT_WORDS: Record<string, string | undefined> = {
  "d1-read": "Database rows read",
  "d1-write": "Database rows written",
  "r2-write": "Objects written",
  "r2-read": "Objects read",
  do: "Durable Object requests",
  bytes: "Bytes fetched",
  "do-written": "Durable Object rows written",
  queue: "Queue messages",
};
/** The displayed fields of a response's receipt (`Receipt` in the OpenAPI document). */
interface CostReceipt {
  credits?: number;
  dollars?: number;
  cpuMs?: number;
  browserMs?: number;
}

const HEADERS = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-Response-Time", "Retry-After"];

/** The cost, timing and engine attempts of a request. */
export function Receipt({ answer, metadata }: { answer: ApiResponse; metadata: Record<string, unknown> | undefined }) {
  const { steps, counts } = readServerTiming(answer.headers.get("Server-Timing"));
  const attempts = Array.isArray(metadata?.["attempts"]) ? (metadata["attempts"] as Attempt[]) : [];
  const longest = Math.max(1, ...steps.map(({ ms }) => ms));
  const { credits, dollars, cpuMs, browserMs } = receiptOf(answer.body);
  const facts = [
    ["Credits", metadata?.["creditsUsed"] ?? credits],
    ["Estimated cost", dollars === undefined ? undefined : `$${dollars.toPrecision(2)}`],
    ["CPU time", cpuMs === undefined ? undefined : toDuration(cpuMs)],
    ["Browser time", browserMs === undefined ? undefined : toDuration(browserMs)],
    ["Engine", metadata?.["engine"]],
    ["Egress route", metadata?.["egressRoute"] ?? metadata?.["proxyUsed"]],
    ["Cache", metadata?.["cacheState"]],
    ["Round trip", toDuration(answer.ms)],
    ...counts.map(({ name, count }) => [COUNT_WORDS[name] ?? toWords(name), Number(count).toLocaleString("en")]),
    ...HEADERS.map((name) => [name, answer.headers.get(name)]),
  ].filter(([, value]) => value !== undefined && value !== null);
  return (
    <div class="receipt">
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={String(name)}>
            <dt>{String(name)}</dt>
            <dd>{String(value)}</dd>
          </div>
        ))}
      </dl>
      {steps.length > 0 && (
        <>
          <h3>Timing</h3>
          <ul class="bars">
            {steps.map(({ name, ms }) => (
              <li key={name}>
                <span>{toWords(name)}</span>
                <meter min={0} max={longest} value={ms} aria-label={`${name}, ${ms} ms`} />
                <span>{toDuration(ms)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {attempts.length > 0 && (
        <>
          <h3>Attempts</h3>
          <Attempts attempts={attempts} />
        </>
      )}
    </div>
  );
}

function receiptOf(body: unknown): CostReceipt {
  const { receipt } = (body ?? {}) as { receipt?: CostReceipt | null };
  return receipt ?? {};
}
