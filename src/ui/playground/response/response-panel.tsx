import { useEffect, useMemo, useState } from "preact/hooks";
import { failureOf, send } from "../../api/client.ts";
import type { ApiResponse, ApiError } from "../../api/client.ts";
import type { Operation } from "../../api/openapi.ts";
import { toBytes, toDuration } from "../../parts/format.ts";
import { useLoaded } from "../../api/use-loaded.ts";
import { EmptyState, ErrorNotice, Loading, WarningNotice } from "../../parts/notices.tsx";
import { useStore } from "../../parts/store.ts";
import { goTo } from "../../router.ts";
import { history, runLink } from "../history.ts";
import { earlierScreenshots, keepResponse, responseOf } from "../responses.ts";
import type { KeptResponse } from "../responses.ts";
import { ResponseTabs } from "./response-tabs.tsx";
import { documentsIn } from "./documents.ts";
import { FollowJob } from "./follow-job.tsx";
import { jobIn } from "./job-link.ts";

interface PanelProps {
  operation: Operation;
  operations: Operation[];
  /** The run whose response is shown; undefined before the first one. */
  runId: string | undefined;
  /** Set when a request got no response. */
  error: ApiError | undefined;
  isRunning: boolean;
}

/** The response: status line, errors and warnings, and its parts in tabs. */
export function ResponsePanel({ operation, operations, runId, error, isRunning }: PanelProps) {
  if (isRunning) return <Waiting />;
  if (error !== undefined) return <ErrorNotice error={error} />;
  if (runId === undefined) {
    return (
      <EmptyState icon="playground" title="Run a request to see the response">
        <p>Fill in the form and press Run or Ctrl+Enter.</p>
      </EmptyState>
    );
  }
  const response = responseOf(runId);
  return (
    <>
      <RunNavigation runId={runId} />
      {response === undefined ? (
        <StoredRun runId={runId} operation={operation} operations={operations} />
      ) : (
        <Response runId={runId} response={response} operation={operation} operations={operations} />
      )}
    </>
  );
}

interface ResponseProps extends Pick<PanelProps, "operation" | "operations"> {
  runId: string;
  response: KeptResponse;
}

function Response({ runId, response, operation, operations }: ResponseProps) {
  const [followed, setFollowed] = useState(response.followed);
  const answer = followed ?? response.answer;
  const failure = failureOf(answer);
  const { body } = response.answer;
  const job = useMemo(() => jobIn(operation, operations, body), [operation, operations, body]);
  const past = history.get().find(({ id }) => id === runId);
  const earlier = useMemo(() => earlierScreenshots(runId), [runId]);
  const warning = warningOf(answer.body);
  const update = (next: ApiResponse): void => {
    keepResponse(runId, { answer: response.answer, followed: next });
    setFollowed(next);
  };
  return (
    <div class="card answer">
      <ResponseHead answer={answer} hasFailed={failure !== undefined} />
      {failure !== undefined && <ErrorNotice error={failure} />}
      {warning !== undefined && <WarningNotice>{warning}</WarningNotice>}
      {job !== undefined && (
        <FollowJob
          key={job.id}
          job={job}
          isForgotten={past?.request.body["zeroDataRetention"] === true}
          update={update}
        />
      )}
      <ResponseTabs answer={answer} earlier={earlier} />
    </div>
  );
}

/** A run of before the page was loaded: its response is read again where the service stores it. */
function StoredRun({ runId, operation, operations }: Omit<ResponseProps, "response">) {
  const path = history.get().find(({ id }) => id === runId)?.storedPath;
  const { value, error, reload } = useLoaded(
    async (signal) => (path === undefined ? undefined : { answer: await send(path, { signal }) }),
    [path],
  );
  if (path === undefined) {
    return (
      <EmptyState icon="clock" title="The response is not stored">
        <p>Responses stay in memory until the page is closed. Run the request again.</p>
      </EmptyState>
    );
  }
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (value === undefined) return <Loading what="response" />;
  return <Response runId={runId} response={value} operation={operation} operations={operations} />;
}

/** Links to the runs before and after this one. */
function RunNavigation({ runId }: { runId: string }) {
  const runs = useStore(history);
  const at = runs.findIndex(({ id }) => id === runId);
  if (at === -1 || runs.length < 2) return null;
  const [newer, older] = [runs[at - 1], runs[at + 1]];
  return (
    <nav class="run-nav" aria-label="Runs">
      <button
        type="button"
        class="button button-quiet"
        disabled={older === undefined}
        onClick={() => older !== undefined && goTo(runLink(older))}
      >
        Previous run
      </button>
      <span class="faint">
        Run {runs.length - at} of {runs.length}
      </span>
      <button
        type="button"
        class="button button-quiet"
        disabled={newer === undefined}
        onClick={() => newer !== undefined && goTo(runLink(newer))}
      >
        Next run
      </button>
    </nav>
  );
}

function ResponseHead({ answer, hasFailed }: { answer: ApiResponse; hasFailed: boolean }) {
  const { status, ms, bytes, body } = answer;
  const [document] = useMemo(() => documentsIn(body), [body]);
  const { engine, creditsUsed } = document?.metadata ?? {};
  const facts = [
    toDuration(ms),
    toBytes(bytes),
    typeof engine === "string" ? `${engine === "cache" ? "from" : "via"} ${engine}` : undefined,
    typeof creditsUsed === "number" ? `${creditsUsed} ${creditsUsed === 1 ? "credit" : "credits"}` : undefined,
  ].filter((fact) => fact !== undefined);
  return (
    <p class="answer-head" role="status">
      <span class={`chip-status ${hasFailed ? "bad" : "good"}`}>{hasFailed ? "Failed" : "OK"}</span>
      <span>{[status, ...facts].join(" · ")}</span>
    </p>
  );
}

function Waiting() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((count) => count + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="card answer">
      <p class="loading" role="status">
        <span class="spinner" aria-hidden="true" /> Waiting for the response…
      </p>
      {seconds > 0 && <p class="faint">{seconds} s</p>}
    </div>
  );
}

function warningOf(body: unknown): string | undefined {
  const { warning, data } = (body ?? {}) as { warning?: unknown; data?: unknown };
  if (typeof warning === "string") return warning;
  const inner = typeof data === "object" && data !== null ? (data as { warning?: unknown }).warning : undefined;
  return typeof inner === "string" ? inner : undefined;
}
