import { useEffect, useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import type { Arrival } from "../connect/activity.ts";
import { readArrivals } from "../connect/read-arrivals.ts";
import { Icon } from "../parts/icon.tsx";
import { readStored, writeStored } from "../parts/browser-storage.ts";
import { ErrorNotice } from "../parts/notices.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { FIRST_STEPS, stepsIn } from "./steps.ts";
import type { FirstStep } from "./steps.ts";

const RELOAD_MS = 3_000;
const NAME = "first-steps";
/** The most that one request lists. */
const MAX_ARRIVALS = 100;

/** The checklist of the first run. A step is done when the activity has a request of its kind. */
export function Start() {
  const [done, setDone] = useState<FirstStep["name"][]>(() => readStored<FirstStep["name"][]>(NAME, []));
  const { value, error, reload } = useLoaded(gather, [], RELOAD_MS);
  useEffect(() => {
    if (value === undefined) return;
    // The activity lists one day, so steps that were done earlier are stored.
    setDone((earlier) => {
      const next = FIRST_STEPS.map(({ name }) => name).filter((name) => earlier.includes(name) || stepsIn(value).includes(name)); // prettier-ignore
      if (next.length === earlier.length) return earlier;
      writeStored(NAME, next);
      return next;
    });
  }, [value]);
  const isComplete = done.length === FIRST_STEPS.length;
  const current = FIRST_STEPS.find(({ name }) => !done.includes(name));
  return (
    <>
      <PageHead title="Get started" lead="Four steps, from the first page to an assistant that uses the service.">
        <a class="button" href="/docs/getting-started" target="_blank">
          Guide
        </a>
      </PageHead>
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      <section class="card stack" aria-label="First steps">
        <p role="status">
          {isComplete ? (
            <strong>All steps are done.</strong>
          ) : (
            `${done.length} of ${FIRST_STEPS.length} steps are done.`
          )}
        </p>
        <progress max={FIRST_STEPS.length} value={done.length} aria-label="Steps that are done" />
        <ol class="first-steps">
          {FIRST_STEPS.map((step) => (
            <StepItem key={step.name} step={step} isDone={done.includes(step.name)} isNext={step === current} />
          ))}
        </ol>
      </section>
    </>
  );
}

function StepItem({ step, isDone, isNext }: { step: FirstStep; isDone: boolean; isNext: boolean }) {
  return (
    <li class="first-step">
      <span class={isDone ? "step-mark step-done" : "step-mark"}>{isDone && <Icon name="check" />}</span>
      <div>
        <h2>
          {step.title} {isDone && <span class="chip-status good">Done</span>}
        </h2>
        <p class="faint">{step.text}</p>
      </div>
      <a class={isNext ? "button button-main" : "button"} href={step.href}>
        {step.action}
      </a>
    </li>
  );
}

/** Reads the newest requests, and of each kind of step the newest, which many others may have followed. */
async function gather(signal: AbortSignal): Promise<Arrival[]> {
  const kinds = FIRST_STEPS.map(({ name }) => name).filter((name) => name !== "mcp");
  const newest = kinds.map(async (name) => {
    const { data } = await ask<{ data: Arrival[] }>(`/v2/team/activity?limit=10&endpoint=${name}`, { signal });
    return data;
  });
  return (await Promise.all([readArrivals(signal, MAX_ARRIVALS), ...newest])).flat();
}
