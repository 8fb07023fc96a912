import { tracing } from "cloudflare:workers";
import { addCount, addDuration, toPrometheus, type Gauge, type Samples } from "../../core/metrics/metrics.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { MetricBuffer, type MetricTargets } from "./metric-buffer.ts";

/** One for the isolate: invocations of the Worker, and objects that run in it. */
const buffer = new MetricBuffer();

interface Options {
  targets: MetricTargets;
  /** Keeps the invocation alive until its counts are sent. */
  extend?: ((work: Promise<unknown>) => void) | undefined;
  /** Reads the values that the metrics report as they are now. */
  gauges?: (samples: Samples) => Promise<Gauge[]>;
}

/** Sends the counts of the isolate at once, for work that ends and must not wait for the timer. */
export function sendMetrics(targets: MetricTargets): Promise<void> {
  return buffer.send(targets);
}

/** Creates the telemetry of one invocation. */
export function createTelemetry({ targets, extend, gauges }: Options): Telemetry {
  return {
    count: (name, labels = {}, amount = 1) =>
      buffer.collect(targets, (samples) => addCount(samples, name, labels, amount), extend),
    observe: (name, labels, ms) => buffer.collect(targets, (samples) => addDuration(samples, name, labels, ms), extend),
    span: (name, work) => tracing.enterSpan(name, work),
    async read() {
      await buffer.send(targets);
      const samples = await targets.SERVICE_METRICS.getByName("metrics").samples();
      return toPrometheus(samples, (await gauges?.(samples)) ?? []);
    },
  };
}
