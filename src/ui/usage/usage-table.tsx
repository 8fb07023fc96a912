import { toCount, toDuration, toWords } from "../parts/format.ts";
import { toDollars } from "./measures.ts";
import type { UsageResponse, UsageLine } from "./usage-types.ts";

/** Usage by endpoint or key, most requests first. */
export function UsageTable(about: { title: string; answer: UsageResponse; nameOf: (line: UsageLine) => string }) {
  const { title, answer, nameOf } = about;
  const lines = [...answer.data].sort((one, other) => other.requests - one.requests);
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <div class="table-box" tabIndex={0} role="region" aria-label={`${title}, table`}>
        <table class="numbers">
          <thead>
            <tr>
              <th scope="col">Name</th>
              {["Requests", "Errors", "Credits", "p50", "p95", "Browser time", "Cost"].map((column) => (
                <th key={column} scope="col" class="number">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map((line, at) => (
              <tr key={at}>
                <th scope="row">{toWords(nameOf(line))}</th>
                <td class="number">{toCount(line.requests)}</td>
                <td class="number">{toCount(line.errors)}</td>
                <td class="number">{toCount(line.credits)}</td>
                <td class="number">{line.latencyMs === null ? "–" : toDuration(line.latencyMs.p50)}</td>
                <td class="number">{line.latencyMs === null ? "–" : toDuration(line.latencyMs.p95)}</td>
                <td class="number">{toDuration(line.browserMs)}</td>
                <td class="number">{toDollars(line.dollars)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
