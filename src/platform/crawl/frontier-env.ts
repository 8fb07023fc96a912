import type { KeyLedgers } from "../account/job-charges.ts";
import { createTelemetry } from "../metrics/telemetry.ts";
import type { MetricTargets } from "../metrics/metric-buffer.ts";

/** The host throttles, by host. `reserve` returns when each of `count` pages may be requested (ms since the epoch). */
interface HostThrottles {
  getByName(host: string): { reserve(host: string, count: number, options: { delayMs: number }): Promise<number[]> };
}

/** Bindings of a frontier. */
export interface FrontierEnv extends Pick<MetricTargets, "SERVICE_METRICS"> {
  /** The egress proxy; present on a machine of one\'s own. */
  EGRESS?: Fetcher;
  JOBS: Queue;
  TASKS: Queue;
  KEY_LEDGER: KeyLedgers;
  HOST_THROTTLE: HostThrottles;
}

/** Counts leases whose worker run has reported nothing until their end. */
export function countLostLeases(env: FrontierEnv, context: DurableObjectState, lost: number): void {
  if (lost === 0) return;
  const telemetry = createTelemetry({ targets: env, extend: (work) => context.waitUntil(work) });
  telemetry.count("leases_lost_total", { kind: "pages" }, lost);
}
