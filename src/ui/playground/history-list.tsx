import { toAgo, toDuration } from "../parts/format.ts";
import { useStore } from "../parts/store.ts";
import { goTo } from "../router.ts";
import { forgetHistory, history, runLink, subjectOf } from "./history.ts";
import { nameOf } from "./request/operation-picker.tsx";

/** Earlier requests of this browser. Selecting one fills in the form and shows its response, if it is kept. */
export function HistoryList() {
  const past = useStore(history);
  if (past.length === 0) return null;
  return (
    <details class="card history">
      <summary>
        History <span class="count">{past.length}</span>
      </summary>
      <ul class="history-list">
        {past.map(({ id, request, method, path, status, ms, atMs }) => (
          <li key={id}>
            <button type="button" class="history-item" onClick={() => goTo(runLink({ id, request }))}>
              <span class={`dot ${status === 200 ? "dot-good" : "dot-bad"}`} aria-hidden="true" />
              <span class="history-what">
                <strong>{method === "post" ? nameOf({ path }) : `${method.toUpperCase()} ${path}`}</strong>{" "}
                <span>{subjectOf(request)}</span>
              </span>
              <span class="faint">
                {status === 200 ? toDuration(ms) : `HTTP ${status}`} · {toAgo(atMs)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <button type="button" class="button button-quiet" onClick={forgetHistory}>
        Clear history
      </button>
    </details>
  );
}
