import type { JobKind, JobSpecification } from "../../../jobs/kind.ts";
import type { Deps } from "../../deps.ts";

/** Context of a worker run. */
export interface WorkerRunContext {
  deps: Deps;
  specification: JobSpecification;
  kind: JobKind;
  messageId: string;
}
