import { useEffect, useState } from "preact/hooks";
import { failureOf } from "../../api/client.ts";
import type { ApiResponse, ApiError } from "../../api/client.ts";
import type { Operation } from "../../api/openapi.ts";
import { toBytes, toDuration } from "../../parts/format.ts";
import { EmptyState, ErrorNotice, WarningNotice } from "../../parts/notices.tsx";
import { ResponseTabs } from "./response-tabs.tsx";
import { documentsIn } from "./documents.ts";
import { FollowJob } from "./follow-job.tsx";
import { jobIn } from "./job-link.ts";
import type { PlaygroundRequest } from "../request/request.ts";

interface PanelProps {
  operation: Operation;
  operations: Operation[];
  sent: { request: PlaygroundRequest; answer?: ApiResponse; error?: ApiError } | undefined;
  isRunning: boolean;
}

/** The response: status line, errors and warnings, and its parts in tabs. */
export function ResponsePanel({ operation, operations, sent, isRunning }: PanelProps) {
  const [followed, setFollowed] = useState<ApiResponse>();
  useEffect(() => setFollowed(undefined), [sent]);
  if (isRunning) return <Waiting />;
  if (sent?.error !== undefined) return <ErrorNotice error={sent.error} />;
  if (sent?.answer === undefined) {
    return (
      <EmptyState icon="playground" title="Run a request to see the response">
        <p>Fill in the form and press Run or Ctrl+Enter.</p>
      </EmptyState>
    );
  }
  const answer = followed ?? sent.answer;
  const failure = failureOf(answer);
  const job = jobIn(operation, operations, sent.answer.body);
  const warning = warningOf(answer.body);
  return (
    <div class="card answer">
      <ResponseHead answer={answer} hasFailed={failure !== undefined} />
      {failure !== undefined && <ErrorNotice error={failure} />}
      {warning !== undefined && <WarningNotice>{warning}</WarningNotice>}
      {job !== undefined && <FollowJob key={job.id} job={job} update={setFollowed} />}
      <ResponseTabs answer={answer} />
    </div>
  );
}

function ResponseHead({ answer, hasFailed }: { answer: ApiResponse; hasFailed: boolean }) {
  const { status, ms, text, body } = answer;
  const [document] = documentsIn(body);
  const { engine, creditsUsed } = document?.metadata ?? {};
  const facts = [
    toDuration(ms),
    toBytes(new Blob([text]).size),
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
