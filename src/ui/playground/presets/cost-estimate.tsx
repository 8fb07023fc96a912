import { useEffect, useRef, useState } from "preact/hooks";
import { askOnce } from "../../api/ask-once.ts";
import { ask } from "../../api/client.ts";
import { useLoaded } from "../../api/use-loaded.ts";
import type { PlaygroundRequest } from "../request/request.ts";
import { ESTIMATED, estimateCredits, wordsOf } from "./estimate.ts";
import type { FormatCredits, JobEstimated } from "./estimate.ts";

interface Capabilities {
  data: { formats: { type: string; credits: number }[] };
}

async function loadCredits(): Promise<FormatCredits> {
  const { data } = await askOnce<Capabilities>("/v2/capabilities");
  return Object.fromEntries(data.formats.map(({ type, credits }) => [type, credits]));
}

/** The price of a request before it runs, for operations with a price list. */
export function CostEstimate({ request }: { request: PlaygroundRequest }) {
  const { value } = useLoaded(loadCredits, []);
  if (value === undefined) return null;
  const estimate = estimateCredits(request.operation, request.body, value);
  if (estimate === undefined) return null;
  const { credits, isMaximum } = estimate;
  return (
    <span class="cost faint">
      {isMaximum ? "At most " : ""}
      {credits.toLocaleString("en")} {credits === 1 ? "credit" : "credits"}
    </span>
  );
}

/** The cost of a job by a look at its pages, on request. A change of the request clears it. */
export function JobEstimate({ request }: { request: PlaygroundRequest }) {
  const [estimate, setEstimate] = useState<string>();
  const [isRunning, setRunning] = useState(false);
  const body = JSON.stringify(request.body);
  const current = useRef(body);
  current.current = body;
  useEffect(() => setEstimate(undefined), [body]);
  const path = ESTIMATED[request.operation];
  if (path === undefined) return null;
  const look = async (): Promise<void> => {
    setRunning(true);
    const words = await ask<JobEstimated>(path, { body: { ...request.body, estimate: true } }).then(
      (answer) => wordsOf(answer.estimate),
      (error: unknown) => `No estimate: ${error instanceof Error ? error.message : String(error)}`,
    );
    if (current.current === body) setEstimate(words);
    setRunning(false);
  };
  return (
    <>
      <button type="button" class="quiet" disabled={isRunning} onClick={() => void look()}>
        {isRunning ? "Estimating…" : "Estimate"}
      </button>
      <span class="cost faint" role="status">
        {estimate}
      </span>
    </>
  );
}
