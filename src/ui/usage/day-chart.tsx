import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ApiError } from "../api/client.ts";
import { toApiError } from "../api/use-loaded.ts";
import { ErrorNotice } from "../parts/notices.tsx";
import { useColourScheme } from "../parts/use-colour-scheme.ts";
import { daysBetween } from "./measures.ts";
import type { Measure } from "./measures.ts";
import type { UsageResponse } from "./usage-types.ts";

/** A chart of one metric by day, and a table with the same data for screen readers. */
export function DayChart({ answer, measure }: { answer: UsageResponse; measure: Measure }) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useColourScheme();
  const [error, setError] = useState<ApiError>();
  const [tries, setTries] = useState(0);
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
    import("./draw-days.ts").then(
      ({ drawDays }) => {
        if (isWanted) remove = drawDays(element, { days, rows, measure });
      },
      (failure: unknown) => {
        if (isWanted) setError(toApiError(failure));
      },
    );
    return () => {
      isWanted = false;
      remove();
    };
  }, [days, rows, measure, scheme, tries]);
  const retry = (): void => {
    setError(undefined);
    setTries(tries + 1);
  };
  return (
    <>
      {error !== undefined && <ErrorNotice error={error} retry={retry} />}
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
