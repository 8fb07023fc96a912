import { ask } from "../../api/client.ts";
import { useLoaded } from "../../api/use-loaded.ts";
import { toWords } from "../../parts/format.ts";
import { ErrorNotice, Loading } from "../../parts/notices.tsx";
import { stepsOf } from "./trace-steps.ts";
import type { Step, TraceEvent } from "./trace-steps.ts";
import type { Activity } from "./result-shapes.ts";

/** The steps of a deep research, which its response contains. */
export function ActivitySteps({ activities }: { activities: readonly Activity[] }) {
  const steps = activities.map(({ type, status, message }) => ({
    name: toWords(type),
    subject: message,
    facts: status === "complete" ? [] : [status],
    hasFailed: status === "error",
  }));
  return <StepList steps={steps} />;
}

/** The steps of an agent, read from its trace. Reading costs nothing. */
export function AgentSteps({ id }: { id: string }) {
  const { value, error, reload } = useLoaded(
    (signal) => ask<{ events: TraceEvent[] }>(`/v2/agent/${encodeURIComponent(id)}/trace`, { signal }),
    [id],
  );
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  return value === undefined ? <Loading what="steps" /> : <StepList steps={stepsOf(value.events)} />;
}

function StepList({ steps }: { steps: readonly Step[] }) {
  if (steps.length === 0) return <p class="faint">No steps are recorded.</p>;
  return (
    <ol class="step-list">
      {steps.map(({ name, subject, facts, hasFailed }, at) => (
        <li key={at}>
          <span class={`dot ${hasFailed ? "dot-bad" : "dot-good"}`} aria-hidden="true" />
          <span class="breaking">
            <strong>{name}</strong> <span dir="auto">{subject}</span>
          </span>
          <span class="faint">{[...(hasFailed ? ["Failed"] : []), ...facts].join(" · ")}</span>
        </li>
      ))}
    </ol>
  );
}
