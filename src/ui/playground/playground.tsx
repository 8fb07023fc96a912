import { useEffect, useRef, useState } from "preact/hooks";
import { failureOf, send } from "../api/client.ts";
import type { ApiResponse, ApiError } from "../api/client.ts";
import type { Operation } from "../api/openapi.ts";
import { keepSampleUrl } from "../api/sample.ts";
import { toApiError, useLoaded } from "../api/use-loaded.ts";
import { ErrorNotice, Loading } from "../parts/notices.tsx";
import { loadRender } from "../parts/document/markdown-view.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { goTo } from "../router.ts";
import type { Route } from "../routes.ts";
import { ResponsePanel } from "./response/response-panel.tsx";
import { draftOf, keepDraft } from "./request/drafts.ts";
import { HistoryList } from "./history-list.tsx";
import { history, recordRequest, runLink } from "./history.ts";
import type { PastRequest } from "./history.ts";
import { jobIn, storedPathOf } from "./response/job-link.ts";
import { keepResponse } from "./responses.ts";
import { loadOperations } from "./request/operations.ts";
import { OperationPicker } from "./request/operation-picker.tsx";
import type { Picked } from "./request/operation-picker.tsx";
import { RequestForm } from "./request/request-form.tsx";
import { requestIn } from "./request/request-link.ts";
import { pathOf, toForm } from "./request/request.ts";
import type { PlaygroundRequest } from "./request/request.ts";

const FIRST_OPERATION = "post /v2/scrape";

/** The view to send requests to any endpoint. */
export function Playground({ route }: { route: Route }) {
  const { value: operations, error, reload } = useLoaded(() => loadOperations(), []);
  const wanted = route.query.get("op") ?? FIRST_OPERATION;
  const linked = route.query.get("request") ?? "";
  const operation = operations?.find(({ id }) => id === wanted) ?? operations?.[0];
  const picked = useRef<Picked>(undefined);
  return (
    <>
      <PageHead
        title="Playground"
        lead="Send a request to any endpoint, inspect the response and copy the request as code."
      />
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {operations === undefined && error === undefined && <Loading what="endpoints" />}
      {operations !== undefined && operation !== undefined && (
        <Bench
          key={`${operation.id} ${linked}`}
          operations={operations}
          operation={operation}
          route={route}
          picked={picked}
        />
      )}
    </>
  );
}

interface BenchProps {
  operations: Operation[];
  operation: Operation;
  route: Route;
  picked: { current: Picked };
}

/** The form of one endpoint next to its response. */
function Bench({ operations, operation, route, picked }: BenchProps) {
  const runId = route.query.get("run") ?? undefined;
  const [request, setRequest] = useState(() => startOf(operation, route));
  const [failed, setFailed] = useState<ApiError>();
  const [running, setRunning] = useState<AbortController>();
  /** The run of this form, whose request is already shown. It may contain files, and the history has none. */
  const own = useRef<string | undefined>(undefined);
  useEffect(() => keepDraft(request), [request]);
  useEffect(() => () => running?.abort(), [running]);
  useEffect(() => {
    const past = runId === own.current ? undefined : pastOf(runId);
    if (past !== undefined) setRequest(past.request);
    setFailed(undefined);
  }, [runId]);
  const place = useRef<HTMLElement>(null);
  // On narrow screens the response is below the form, so it is scrolled into view.
  useEffect(() => {
    if (runId !== undefined || failed !== undefined) place.current?.scrollIntoView({ block: "nearest" });
  }, [runId, failed]);

  const run = async (): Promise<void> => {
    const leaving = new AbortController();
    // The response is shown with it. A failure is repeated, and reported, there.
    loadRender().catch(() => undefined);
    setRunning(leaving);
    setFailed(undefined);
    try {
      const answer = await callOf(operation, request, leaving.signal);
      // Other views start with the last URL.
      if (failureOf(answer) === undefined && typeof request.body["url"] === "string")
        keepSampleUrl(request.body["url"]);
      own.current = recordRequest({
        request,
        method: operation.method,
        path: operation.path,
        status: answer.status,
        ms: answer.ms,
        // Documents that are handed over once are not read without being asked for.
        ...(request.body["zeroDataRetention"] === true
          ? {}
          : { storedPath: storedPathOf(answer.body, jobIn(operation, operations, answer.body)) }),
      });
      keepResponse(own.current, { answer });
      goTo(runLink({ id: own.current, request }));
    } catch (failure) {
      if (!leaving.signal.aborted) setFailed(toApiError(failure));
    }
    setRunning(undefined);
  };

  return (
    <div class="bench">
      <section class="bench-request" aria-label="Request">
        <h2 class="visually-hidden">Request</h2>
        <OperationPicker operations={operations} operation={operation} picked={picked} />
        <RequestForm
          operation={operation}
          request={request}
          change={setRequest}
          isRunning={running !== undefined}
          submit={() => void run()}
          stop={() => running?.abort()}
        />
        <HistoryList />
      </section>
      <section class="bench-answer" aria-label="Response" ref={place}>
        <h2 class="visually-hidden">Response</h2>
        <ResponsePanel
          key={runId}
          operation={operation}
          operations={operations}
          runId={runId}
          error={failed}
          isRunning={running !== undefined}
        />
      </section>
    </div>
  );
}

function pastOf(runId: string | undefined): PastRequest | undefined {
  return history.get().find(({ id }) => id === runId);
}

/** Returns the request of an earlier run or of a link to this endpoint; otherwise the draft. */
function startOf(operation: Operation, { query }: Route): PlaygroundRequest {
  const past = pastOf(query.get("run") ?? undefined);
  if (past?.request.operation === operation.id) return past.request;
  const linked = requestIn(query);
  return linked?.operation === operation.id ? linked : draftOf(operation, query.get("id"));
}

async function callOf(operation: Operation, request: PlaygroundRequest, signal: AbortSignal): Promise<ApiResponse> {
  const method = operation.method.toUpperCase();
  const as = operation.path.includes("/team/keys") ? "admin" : "caller";
  const hasBody = operation.body !== undefined;
  const body = operation.body?.kind === "multipart" ? toForm(request.body) : request.body;
  return await send(pathOf(operation, request.parameters), { method, as, signal, ...(hasBody ? { body } : {}) });
}
