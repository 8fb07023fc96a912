import type { ApiResponse } from "./api.ts";
import type { CallContext } from "./call-context.ts";

const STEP_MS = 1000;
const TERMINAL = new Set(["completed", "failed", "cancelled"]);

/**
 * Polls the job once a second, reports progress each time, and returns the job's latest status when the time is up. Of several
 * waiting calls of one HTTP request, each polls less often: together they poll once a second, as an invocation has a limit of
 * queries. A status that cannot be read at the moment is asked for again. When the client cancels the call, the job is cancelled.
 */
export async function waitForJob(
  context: CallContext,
  { started, statusPath, waitMs }: { started: ApiResponse; statusPath: string; waitMs: number },
): Promise<ApiResponse> {
  const { id } = started.body;
  if (!started.isSuccess || typeof id !== "string") return started;
  const path = statusPath.replace("{id}", id);
  context.waiting.calls++;
  try {
    if (await context.job.started(path)) return await cancelJob(context, { id, path });
    return await pollJob(context, { started, id, path, waitMs });
  } finally {
    context.waiting.calls--;
    await context.job.ended();
  }
}

async function pollJob(
  context: CallContext,
  { started, id, path, waitMs }: { started: ApiResponse; id: string; path: string; waitMs: number },
): Promise<ApiResponse> {
  // The first report has the id, by which a client whose connection breaks can find the job.
  await context.report({ progress: 0, message: `Job ${id} has started` });
  let answer = started;
  let polledMs = 0;
  for (let waitedMs = 0; waitedMs < waitMs && !context.signal.aborted; waitedMs += STEP_MS) {
    await context.sleep(STEP_MS);
    if (context.isCancelled()) return await cancelJob(context, { id, path });
    const sinceMs = waitedMs + STEP_MS - polledMs;
    const isLast = waitedMs + STEP_MS >= waitMs;
    if (sinceMs < STEP_MS * context.waiting.calls && !isLast) continue;
    polledMs = waitedMs + STEP_MS;
    const polled = await context.caller.call("GET", path);
    if (isPassing(polled)) continue;
    answer = polled;
    const { status, completed, total } = answer.body;
    if (!answer.isSuccess || TERMINAL.has(String(status))) break;
    await context.report({
      progress: typeof completed === "number" ? completed : waitedMs / 1000,
      ...(typeof total === "number" ? { total } : {}),
      message: typeof total === "number" ? `${String(completed)} of ${total} pages` : String(status),
    });
  }
  return { ...answer, body: { id, ...answer.body } };
}

/** Reports whether another poll may succeed: requests are limited, or the service is overloaded or being started. */
function isPassing({ isSuccess, status = 0, body }: ApiResponse): boolean {
  return !isSuccess && (status === 429 || status >= 500) && !TERMINAL.has(String(body["status"]));
}

/** Cancels a job. One that cannot be cancelled keeps running, and the response has its id. */
async function cancelJob(
  { caller }: Pick<CallContext, "caller">,
  { id, path }: { id: string; path: string },
): Promise<ApiResponse> {
  const { isSuccess, body } = await caller.call("DELETE", path);
  const error = isSuccess
    ? `The call was cancelled, and with it job ${id}`
    : `The call was cancelled; job ${id} runs on`;
  return { isSuccess: false, body: { error, id, ...(isSuccess ? {} : { details: body["error"] }) } };
}
