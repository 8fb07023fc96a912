import { useEffect, useMemo, useRef } from "preact/hooks";
import { useColourScheme } from "../parts/use-colour-scheme.ts";
import { daysBetween } from "./measures.ts";
import type { Measure } from "./measures.ts";
import type { UsageResponse } from "./usage-types.ts";

/** A chart of one metric by day, and a table with the same data for screen readers. */
export function DayChart({ answer, measure }: { answer: UsageResponse; measure: Measure }) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useColourScheme();
  const days = useMemo(() => daysBetween(answer.from, answer.to), [answer]);
  const rows = useMemo(() => {
    const byDay = new Map(answer.data.map((line) => [line.day, line]));
    return measure.series.map(({ read }) =>
      days.map((day) => {
        const line = byDay.get(day);
        return line === undefined ? (measure.name === "latency" ? null : 0) : read(line);
      }),
    );
  }, [answer, measure, days]);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    let isWanted = true;
    let remove = (): void => undefined;
    void import("./draw-days.ts").then(({ drawDays }) => {
      if (isWanted) remove = drawDays(element, { days, rows, measure });
    });
    return () => {
      isWanted = false;
      remove();
    };
  }, [days, rows, measure, scheme]);
  return (
    <>
      <div
        class={measure.series.length === 1 ? "chart chart-bars" : "chart"}
        ref={place}
        role="img"
        aria-label={`${measure.label} by day. The table below has the same data.`}
      />
      <details>
        <summary>Show as table</summary>
        <div class="table-box" tabIndex={0} role="region" aria-label={`${measure.label} by day`}>
          <table>
            <thead>
              <tr>
                <th scope="col">Day</th>
                {measure.series.map(({ label }) => (
                  <th key={label} scope="col" class="number">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.toReversed().map((day, back) => (
                <tr key={day}>
                  <th scope="row">{day}</th>
                  {rows.map((row, at) => {
                    const value = row[days.length - 1 - back] ?? null;
                    return (
                      <td key={at} class="number">
                        {value === null ? "–" : measure.show(value)}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}
