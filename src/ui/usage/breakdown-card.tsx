import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { toCount } from "../parts/format.ts";
import { ErrorNotice, Loading } from "../parts/notices.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { adviceFor } from "../jobs/explain-failure.ts";
import type { BreakdownLine, BreakdownResponse } from "./usage-types.ts";

const ROW_HEIGHT = 44;
const CHOICES = [
  ["host", "Hosts"],
  ["engine", "Engines"],
  ["failure", "Failures by reason"],
] as const;
type Choice = (typeof CHOICES)[number][0];

/** Requests, errors and credits by host, engine or reason of failure. */
export function BreakdownCard({ from }: { from: string }) {
  const [by, setBy] = useState<Choice>("host");
  const { value, error, reload } = useLoaded(
    (signal) => ask<BreakdownResponse>(`/v2/team/usage/breakdown?by=${by}&from=${from}`, { signal }),
    [by, from],
  );
  const lines = value?.by === by ? value.data : undefined;
  const most = Math.max(1, ...(lines ?? []).map(({ requests }) => requests));
  return (
    <section class="card stack" aria-label="Breakdown">
      <div class="chips" role="group" aria-label="Break down by">
        {CHOICES.map(([name, label]) => (
          <button key={name} type="button" class="chip" aria-pressed={name === by} onClick={() => setBy(name)}>
            {label}
          </button>
        ))}
      </div>
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {lines === undefined && error === undefined && <Loading what="breakdown" />}
      {lines?.length === 0 && (
        <p class="faint">{by === "failure" ? "No request failed in this period." : "No requests in this period."}</p>
      )}
      {lines !== undefined && lines.length > 0 && (
        <VirtualList
          label={CHOICES.find(([name]) => name === by)?.[1] ?? by}
          count={lines.length}
          rowHeight={ROW_HEIGHT}
          keyOf={(at) => lines[at]?.name ?? at}
          render={(at) => <Line by={by} line={lines[at]} most={most} />}
        />
      )}
    </section>
  );
}

function Line({ by, line, most }: { by: Choice; line: BreakdownLine | undefined; most: number }) {
  if (line === undefined) return null;
  const { name, requests, errors, credits } = line;
  const advice = by === "failure" ? adviceFor(name) : undefined;
  const facts = [
    `${toCount(requests)} ${requests === 1 ? "request" : "requests"}`,
    ...(by === "failure" || errors === 0 ? [] : [`${toCount(errors)} failed`]),
    ...(by === "failure" ? [] : [`${toCount(credits)} ${credits === 1 ? "credit" : "credits"}`]),
  ];
  return (
    <div class="breakdown-line" title={advice ?? name}>
      <span class="cut">
        {by === "failure" ? <code>{name}</code> : name} {advice !== undefined && <span class="faint">{advice}</span>}
      </span>
      <meter min={0} max={most} value={requests} aria-label={`${name}: ${facts.join(", ")}`} />
      <span class="faint no-break">{facts.join(" · ")}</span>
    </div>
  );
}
