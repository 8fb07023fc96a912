import { mergeSamples, seriesTotals, addCount, type Samples } from "../../core/metrics/metrics.ts";
import { logEvent } from "../log-event.ts";
import type { ServiceMetrics } from "./service-metrics.ts";

/** Time that an isolate collects counts before it sends them. */
const COLLECT_MS = 2_000;
/** The invocation that was to send the counts has ended without doing so when this has passed. */
const LOST_MS = 20_000;
/** Points that Analytics Engine accepts of one invocation. */
export const ANALYTICS_LIMIT = 25;

export interface MetricTargets {
  SERVICE_METRICS: DurableObjectNamespace<ServiceMetrics>;
  /** Receives the same counts as points; absent where they are not wanted. */
  ANALYTICS?: AnalyticsEngineDataset | undefined;
}

/**
 * The counts of an isolate that are not sent yet. Of all its invocations one at a time sends, two seconds after the first
 * count; counts that cannot be sent are sent with the next ones.
 */
export class MetricBuffer {
  #samples: Samples = {};
  #sendingSinceMs: number | undefined;

  /** Counts something. @param extend keeps the invocation alive for the work of sending; without it another one sends */
  collect(targets: MetricTargets, count: (samples: Samples) => void, extend?: (work: Promise<unknown>) => void): void {
    count(this.#samples);
    const nowMs = Date.now();
    if (extend === undefined || (this.#sendingSinceMs !== undefined && nowMs - this.#sendingSinceMs < LOST_MS)) return;
    this.#sendingSinceMs = nowMs;
    extend(
      new Promise<void>((resolve) => setTimeout(resolve, COLLECT_MS)).then(() => {
        this.#sendingSinceMs = undefined;
        return this.send(targets);
      }),
    );
  }

  /** Sends everything that was counted. Never fails. */
  async send({ SERVICE_METRICS, ANALYTICS }: MetricTargets): Promise<void> {
    const samples = this.#samples;
    if (Object.keys(samples).length === 0) return;
    this.#samples = {};
    if (ANALYTICS !== undefined) writePoints(ANALYTICS, samples);
    try {
      await SERVICE_METRICS.getByName("metrics").add(samples);
    } catch (error) {
      mergeSamples(this.#samples, samples);
      logEvent({ event: "metrics_not_sent", reason: String(error) });
    }
  }
}

/** Writes one point a series: its metric and labels, the number of events, and the sum of their seconds. */
function writePoints(dataset: AnalyticsEngineDataset, samples: Samples): void {
  const totals = seriesTotals(samples).toSorted((left, right) => right.count - left.count);
  for (const { metric, labels, count, seconds } of totals.slice(0, ANALYTICS_LIMIT)) {
    dataset.writeDataPoint({ indexes: [metric], blobs: [metric, labels], doubles: [count, seconds] });
  }
  if (totals.length > ANALYTICS_LIMIT) addCount(samples, "points_dropped_total", {}, totals.length - ANALYTICS_LIMIT);
}
