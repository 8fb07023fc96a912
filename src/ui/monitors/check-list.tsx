import { toAgo, toDateTime } from "../parts/format.ts";
import { hrefOf } from "../routes.ts";
import { checkWords, countsInWords, isOpen } from "./monitor-types.ts";
import type { CheckInfo, MonitorInfo } from "./monitor-types.ts";

interface ListProps {
  monitor: MonitorInfo;
  checks: readonly CheckInfo[];
  shownId: string;
  /** Loads older checks; undefined if there are none. */
  loadOlder: (() => void) | undefined;
  isLoading: boolean;
}

/** The history of checks, newest first. */
export function CheckList({ monitor, checks, shownId, loadOlder, isLoading }: ListProps) {
  return (
    <nav class="card check-list" aria-label="Checks">
      <h2>Checks</h2>
      <ul>
        {checks.map((check) => (
          <li key={check.id}>
            <a
              class="check-link"
              href={hrefOf("monitors", monitor.id, { check: check.id })}
              aria-current={check.id === shownId ? "true" : undefined}
              title={toDateTime(check.createdAt)}
            >
              <span class={`dot ${toneOf(check)}`} aria-hidden="true" />
              <span>{outcomeOf(check)}</span>
              <span class="faint">{toAgo(check.createdAt)}</span>
            </a>
          </li>
        ))}
      </ul>
      {loadOlder !== undefined && (
        <button type="button" class="button button-quiet" disabled={isLoading} onClick={loadOlder}>
          Load older checks
        </button>
      )}
    </nav>
  );
}

function outcomeOf(check: CheckInfo): string {
  const [label] = checkWords(check.status);
  if (check.status === "completed" || check.status === "partial") return countsInWords(check.summary) ?? label;
  return label;
}

function toneOf(check: CheckInfo): string {
  const { summary, status } = check;
  if (isOpen(check)) return "dot-busy";
  if (status === "failed" || summary.error > 0) return "dot-bad";
  return summary.changed + summary.removed + summary.new > 0 ? "dot-warn" : "dot-good";
}
