import { toCount } from "../parts/format.ts";
import type { BreakdownLine } from "./usage-types.ts";
import { hoursSince } from "./hours.ts";

const HEIGHT = 100;
const LABELS = 4;

/** Requests by hour since the start of a day, with the failed ones. A table below has the same data. */
export function HourChart({ lines, from }: { lines: readonly BreakdownLine[]; from: string }) {
  const byName = new Map(lines.map((line) => [line.name, line]));
  const shown = hoursSince(from, Date.now()).map(
    (name) => byName.get(name) ?? { name, requests: 0, errors: 0, credits: 0 },
  );
  const most = Math.max(1, ...shown.map(({ requests }) => requests));
  return (
    <>
      <div class="pages-chart" role="img" aria-label="Requests by hour. The table below has the same data.">
        <div class="chart-y" aria-hidden="true">
          <span>{toCount(most)}</span>
          <span>0</span>
        </div>
        <svg viewBox={`0 0 ${shown.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <line x1={0} x2={shown.length} y1={HEIGHT} y2={HEIGHT} vector-effect="non-scaling-stroke" />
          {shown.map(({ name, requests, errors }, at) => (
            <g key={name}>
              <rect x={at + 0.1} width={0.8} {...spanOf(requests, most)} />
              <rect class="bar-failed" x={at + 0.1} width={0.8} {...spanOf(errors, most)} />
            </g>
          ))}
        </svg>
        <div class="chart-x" aria-hidden="true">
          {Array.from({ length: LABELS + 1 }, (_, at) => {
            const place = Math.min(shown.length - 1, Math.round((at * shown.length) / LABELS));
            return (
              <span
                key={at}
                class={at === LABELS ? "chart-end" : undefined}
                style={{ left: `${(at / LABELS) * 100}%` }}
              >
                {hourLabel(shown[place]?.name ?? "")}
              </span>
            );
          })}
        </div>
      </div>
      <details>
        <summary>Show as table</summary>
        <div class="table-box" tabIndex={0} role="region" aria-label="Requests by hour">
          <table>
            <thead>
              <tr>
                <th scope="col">Hour (UTC)</th>
                <th scope="col" class="number">
                  Requests
                </th>
                <th scope="col" class="number">
                  Failed
                </th>
                <th scope="col" class="number">
                  Credits
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.toReversed().map(({ name, requests, errors, credits }) => (
                <tr key={name}>
                  <th scope="row">{hourLabel(name)}</th>
                  <td class="number">{toCount(requests)}</td>
                  <td class="number">{toCount(errors)}</td>
                  <td class="number">{toCount(credits)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

function spanOf(count: number, most: number): { y: number; height: number } {
  const height = (count / most) * HEIGHT;
  return { y: HEIGHT - height, height };
}

/** Returns `21 Nov, 10:00` for `2026-11-21T10`. */
function hourLabel(name: string): string {
  const time = new Date(`${name}:00:00Z`);
  if (Number.isNaN(time.getTime())) return name;
  const day = time.toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
  return `${day}, ${name.slice(-2)}:00`;
}
