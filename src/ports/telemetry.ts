import type { CounterName, HistogramName, Labels } from "../core/metrics/metrics.ts";

/** Counts events for the operator and records spans. No call fails, and none delays the caller. */
export interface Telemetry {
  count(name: CounterName, labels?: Labels, amount?: number): void;
  /** Records a duration in ms. */
  observe(name: HistogramName, labels: Labels, ms: number): void;
  /** Runs work inside a span of the platform's traces; the result is that of the work. */
  span<Value>(name: string, work: () => Promise<Value>): Promise<Value>;
  /** Returns all metrics of the service in the text format of Prometheus. */
  read(): Promise<string>;
}
