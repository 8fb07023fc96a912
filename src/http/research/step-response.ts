import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { AppError } from "../../core/errors.ts";
import type { JobKindName, JobRecord } from "../../core/jobs/job.ts";
import { findJob } from "../../services/jobs/find-job.ts";
import type { StepJobView } from "../../services/research/read-step-job.ts";
import { estimateCredits } from "../../services/scrape/scrape-credits.ts";
import { startStepJob, type NewStepWork } from "../../services/research/start-step-job.ts";
import type { AppEnv } from "../context.ts";
import { EXAMPLE_ID } from "../docs/examples.ts";
import { idempotencyOf } from "../idempotency.ts";
import { publicOrigin } from "../public-origin.ts";
import { admit, admitJob } from "../account/rate-limit.ts";
import { checkUnread } from "../scrape/counted-body.ts";
import { ReceiptField } from "../route.ts";
import { nameWork, receiptOf } from "../work.ts";

/** The response to starting a step job. */
export const StepStarted = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    id: z.string().describe("ID of the resource."),
    warning: z
      .string()
      .optional()
      .describe("What could not be done as requested. Absent when there is nothing to report."),
    receipt: ReceiptField,
  })
  .openapi("StepsStarted", { example: { success: true, id: EXAMPLE_ID } });

/** Status fields that every step job has in version 1. */
export const V1_STEP_FIELDS = {
  success: z.boolean().describe("False only when the job failed."),
  status: z.enum(["processing", "completed", "failed"]).describe("State of the job."),
  error: z.string().optional().describe("Why the job failed."),
  warning: z
    .string()
    .optional()
    .describe("What could not be done as requested. Absent when there is nothing to report."),
  expiresAt: z.string().describe("Time at which the resource expires."),
};
const V1StepFields = z.object(V1_STEP_FIELDS);

interface V1Start<Input> extends Pick<
  NewStepWork<Input>,
  "scrapeDefaults" | "input" | "target" | "timeMs" | "options"
> {
  kind: "deep_research" | "llmstxt";
}

/** Admits and starts a step job of version 1: without webhooks and without a credit budget. */
export async function startV1Steps<Input extends object>(
  c: Context<AppEnv>,
  start: V1Start<Input>,
): Promise<z.infer<typeof StepStarted>> {
  const leastCredits = estimateCredits({ options: {}, zeroDataRetention: false });
  const { kind, target } = start;
  await admitJob(c, { endpoint: "agent", listedAs: kind, target, options: {}, leastCredits, mode: "extract" });
  const id = await startStepJob<Input>(c.var.deps, c.var.caller, {
    ...start,
    apiVersion: "v1",
    zeroDataRetention: false,
    publicOrigin: publicOrigin(c.req.raw),
    webhook: undefined,
    events: [],
    maxCredits: undefined,
    idempotency: await idempotencyOf(c),
  });
  nameWork(c, { id });
  return { success: true, id, receipt: receiptOf(c) };
}

/** Returns version 1's status fields of a step job: a cancelled job has the status failed. */
export function v1StepFields(
  { status, error, expiresAtMs }: StepJobView["progress"],
  warning: string | undefined,
): z.infer<typeof V1StepFields> {
  const step = stepStatus(status);
  return {
    success: status !== "failed",
    status: step === "cancelled" ? "failed" : step,
    ...(error === undefined ? {} : { error }),
    ...(warning === undefined ? {} : { warning }),
    expiresAt: new Date(expiresAtMs).toISOString(),
  };
}

/**
 * Returns the step job with the id in a path, if it belongs to the caller's team.
 * @throws AppError `JOB_NOT_FOUND` with the message that clients of the kind know.
 */
export async function findStepJob(
  c: Context<AppEnv>,
  { id, kind, notFound }: { id: string; kind: JobKindName; notFound: string },
): Promise<JobRecord> {
  checkUnread(c);
  await admit(c, { mode: "extractStatus", credits: 0 });
  const { deps, caller } = c.var;
  try {
    return await findJob(deps, caller, { id, kinds: [kind] });
  } catch (error) {
    const isUnknown = error instanceof AppError && error.code === "JOB_NOT_FOUND";
    throw isUnknown ? new AppError("JOB_NOT_FOUND", notFound) : error;
  }
}

/** Returns the warning of a cancel while steps are running: they are finished and charged. */
export function stepsInFlight(credits: number): { warning?: string } {
  if (credits === 0) return {};
  return { warning: `Running steps are finished and charged, with up to ${credits} credit(s).` };
}

/** Converts a job's status to the names that clients of step jobs know. */
export function stepStatus(status: string): "processing" | "completed" | "failed" | "cancelled" {
  return status === "completed" || status === "failed" || status === "cancelled" ? status : "processing";
}
