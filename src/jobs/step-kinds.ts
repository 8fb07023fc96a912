import type { JobKindName } from "../core/jobs/job.ts";
import { agent } from "./agent/agent.ts";
import { deepResearch } from "./deep-research.ts";
import { extract } from "./extract/extract.ts";
import { llmstxt } from "./llmstxt.ts";
import type { StepKind } from "./step-kind.ts";

/** All kinds of step jobs. The cast drops the input type of each kind. */
export const STEP_JOB_KINDS = [extract, agent, deepResearch, llmstxt] as readonly unknown[] as readonly StepKind[];

/** @throws Error for a kind that this version does not know. */
export function stepKindOf(name: JobKindName): StepKind {
  const kind = STEP_JOB_KINDS.find((candidate) => candidate.name === name);
  if (kind === undefined) throw new Error(`No job of steps is called ${name}`);
  return kind;
}

/** Reports whether a kind is a step job, whose record is stored with its steps instead of a frontier. */
export function isStepKind(name: string): boolean {
  return STEP_KINDS.includes(name);
}

const STEP_KINDS: readonly string[] = ["extract", "agent", "deep_research", "llmstxt"] satisfies JobKindName[];
