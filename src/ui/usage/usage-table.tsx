import { useState } from "preact/hooks";
import { toCount, toDuration, toWords } from "../parts/format.ts";
import { toDollars } from "./measures.ts";
import type { UsageResponse, UsageLine } from "./usage-types.ts";

/** The columns of numbers, by which the lines can be sorted. Lines without a value are last. */
const COLUMNS: readonly {
  label: string;
  of: (line: UsageLine) => number | undefined;
  toText: (value: number) => string;
}[] = [
  { label: "Requests", of: ({ requests }) => requests, toText: toCount },
  { label: "Errors", of: ({ errors }) => errors, toText: toCount },
  { label: "Credits", of: ({ credits }) => credits, toText: toCount },
  { label: "p50", of: ({ latencyMs }) => latencyMs?.p50, toText: toDuration },
  { label: "p95", of: ({ latencyMs }) => latencyMs?.p95, toText: toDuration },
  { label: "Browser time", of: ({ browserMs }) => browserMs, toText: toDuration },
  { label: "Cost", of: ({ dollars }) => dollars, toText: toDollars },
];

/** Usage by endpoint or key, sorted by the column that the reader chooses, the most first. */
export function UsageTable(about: { title: string; answer: UsageResponse; nameOf: (line: UsageLine) => string }) {
  const { title, answer, nameOf } = about;
  const [sorted, setSorted] = useState("Requests");
  const by = COLUMNS.find(({ label }) => label === sorted)?.of ?? (({ requests }) => requests);
  const lines = answer.data.toSorted((one, other) => (by(other) ?? -1) - (by(one) ?? -1));
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <div class="table-box" tabIndex={0} role="region" aria-label={`${title}, table`}>
        <table class="numbers">
          <thead>
            <tr>
              <th scope="col">Name</th>
              {COLUMNS.map(({ label }) => (
                <th key={label} scope="col" class="number" aria-sort={label === sorted ? "descending" : undefined}>
                  <button type="button" class="sort-button" onClick={() => setSorted(label)}>
                    {label}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map((line, at) => (
              <tr key={at}>
                <th scope="row">{toWords(nameOf(line))}</th>
                {COLUMNS.map(({ label, of, toText }) => {
                  const value = of(line);
                  return (
                    <td key={label} class="number">
                      {value === undefined ? "–" : toText(value)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
