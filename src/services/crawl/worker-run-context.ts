import type { JobKind, JobSpecification } from "../../jobs/kind.ts";
import type { Deps } from "../deps.ts";

/** What a consumer of a job works with. */
export interface WorkerRunContext {
  deps: Deps;
  specification: JobSpecification;
  kind: JobKind;
  messageId: string;
}
