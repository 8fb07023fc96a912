import { CopyButton } from "../../parts/copy-button.tsx";
import { toBytes, toDuration } from "../../parts/format.ts";
import { EmptyState } from "../../parts/notices.tsx";
import { requestLink } from "../../playground/request/request-link.ts";
import { toPlaywright } from "./actions.ts";
import type { Watched } from "./session-watch.ts";

const LEVELS = { error: "bad", warning: "warn", info: "" } as const;

/** The console of the session's pages, the latest line last. */
export function ConsolePanel({ watched }: { watched: Watched }) {
  if (watched.console.length === 0) {
    return (
      <EmptyState icon="sessions" title="No console messages">
        <p>Messages and errors of the session's pages appear here.</p>
      </EmptyState>
    );
  }
  return (
    <ol class="console-lines" aria-label="Console messages">
      {watched.console.map(({ level, text, atMs }, at) => (
        <li key={`${atMs} ${at}`} class={`console-line ${LEVELS[level]}`}>
          {level !== "info" && <span class={`chip-status ${LEVELS[level]}`}>{level}</span>}
          <code>{text}</code>
        </li>
      ))}
    </ol>
  );
}

/** The requests of the session's pages since the panel was opened. */
export function NetworkPanel({ watched }: { watched: Watched }) {
  if (watched.network.length === 0) {
    return (
      <EmptyState icon="sessions" title="No requests yet">
        <p>
          Requests appear here from now on. Earlier ones are in the network log of a recorded session, under Replay.
        </p>
      </EmptyState>
    );
  }
  return (
    <div class="table-box" role="region" aria-label="Requests" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Method</th>
            <th scope="col">URL</th>
            <th scope="col">Type</th>
            <th scope="col" class="number">
              Size
            </th>
            <th scope="col" class="number">
              Time
            </th>
          </tr>
        </thead>
        <tbody>
          {watched.network.map(({ id, status, failure, method, url, type, bytes, ms }) => (
            <tr key={id}>
              <td>
                <span class={`chip-status ${failure !== undefined || (status ?? 0) >= 400 ? "bad" : ""}`}>
                  {failure ?? status ?? "Pending"}
                </span>
              </td>
              <td>{method}</td>
              <td class="breaking">{url}</td>
              <td>{type}</td>
              <td class="number no-break">{bytes === undefined ? "" : toBytes(bytes)}</td>
              <td class="number no-break">{ms === undefined ? "" : toDuration(ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The actions of people in the live view as Playwright code. */
export function ActionsPanel({ watched, id }: { watched: Watched; id: string }) {
  const code = toPlaywright(watched.actions);
  if (code === "") {
    return (
      <EmptyState icon="hand" title="No actions recorded yet">
        <p>
          Recording has started. Open the live view, select Take control, and use the page. Each click, entry and
          navigation is added here as Playwright code. Passwords are not recorded.
        </p>
      </EmptyState>
    );
  }
  return (
    <div class="stack">
      <div class="code-tools">
        <a
          class="button button-quiet"
          href={requestLink({ operation: "post /v2/browser/{id}/execute", parameters: { id }, body: { code } })}
        >
          Run in playground
        </a>
        <CopyButton text={code} label="Copy code" />
      </div>
      <pre class="session-code" tabIndex={0} aria-label="Playwright code">
        {code}
      </pre>
    </div>
  );
}
