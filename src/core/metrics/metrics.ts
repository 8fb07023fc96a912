interface Definition {
  type: "counter" | "histogram";
  help: string;
}

/** Every metric of the service. Labels have few values, so that the number of series stays small. */
export const METRICS = {
  requests_total: { type: "counter", help: "Responses by route group (scope of the key) and status class." },
  loads_total: { type: "counter", help: "Page loads by engine, outcome and class of the HTTP status." },
  load_failures_total: { type: "counter", help: "Page loads that failed, by engine and error code." },
  edge_errors_total: {
    type: "counter",
    help: "Responses that the platform's edge made in place of a site (520-527, 530 with their numbers).",
  },
  slot_wait_seconds: { type: "histogram", help: "Wait of a request to a site for a connection slot." },
  browser_wait_seconds: { type: "histogram", help: "Wait of a page load for a browser, by region of the pool." },
  browser_refusals_total: { type: "counter", help: "Page loads that got no browser, by region and reason." },
  leases_lost_total: {
    type: "counter",
    help: "Leases that ended without a report: of pages by a worker run, of browsers by a page load.",
  },
  queue_wait_seconds: { type: "histogram", help: "Time between the sending of a queue message and its consumer." },
  stage_seconds: { type: "histogram", help: "Duration of the stages of a scrape." },
  points_dropped_total: { type: "counter", help: "Points beyond what Analytics Engine accepts of an invocation." },
} as const satisfies Record<string, Definition>;

export type MetricName = keyof typeof METRICS;
export type CounterName = {
  [Name in MetricName]: (typeof METRICS)[Name]["type"] extends "counter" ? Name : never;
}[MetricName];
export type HistogramName = Exclude<MetricName, CounterName>;
export type Labels = Readonly<Record<string, string>>;

/** Upper bounds of the buckets, in seconds. */
const BUCKETS = [0.01, 0.05, 0.25, 1, 2.5, 5, 10, 30, 60, 300];
/** Series beyond this number are not counted, so that a label with unexpected values cannot fill the storage. */
export const MAX_SERIES = 5_000;
const PREFIX = "orbweaver_";

/** Counted values by sample: the name of a metric with its labels, as in the text format of Prometheus. */
export type Samples = Record<string, number>;

/** Adds to a counter. */
export function addCount(samples: Samples, name: CounterName, labels: Labels, amount = 1): void {
  add(samples, sampleName(name, labels), amount);
}

/** Adds a duration, in ms, to a histogram, which is in seconds. */
export function addDuration(samples: Samples, name: HistogramName, labels: Labels, ms: number): void {
  const seconds = Math.max(0, ms) / 1000;
  for (const bound of BUCKETS) {
    if (seconds <= bound) add(samples, sampleName(`${name}_bucket`, { ...labels, le: String(bound) }), 1);
  }
  add(samples, sampleName(`${name}_bucket`, { ...labels, le: "+Inf" }), 1);
  add(samples, sampleName(`${name}_sum`, labels), seconds);
  add(samples, sampleName(`${name}_count`, labels), 1);
}

/** Adds other samples to these. */
export function mergeSamples(samples: Samples, others: Readonly<Samples>): void {
  let size = Object.keys(samples).length;
  for (const [name, amount] of Object.entries(others)) {
    if (samples[name] === undefined && ++size > MAX_SERIES) continue;
    add(samples, name, amount);
  }
}

/** A value that is read when the metrics are requested. */
export interface Gauge {
  name: string;
  help: string;
  values: readonly { labels: Labels; value: number }[];
}

/** Returns the samples and gauges in the text format of Prometheus (version 0.0.4), sorted by name. */
export function toPrometheus(samples: Readonly<Samples>, gauges: readonly Gauge[]): string {
  const counted = Object.entries(METRICS).flatMap(([name, { type, help }]) => {
    const own = Object.keys(samples).filter((sample) => metricOf(sample) === name);
    if (own.length === 0) return [];
    return [
      ...heading(name, type, help),
      ...own.toSorted(inOrder).map((sample) => `${PREFIX}${sample} ${samples[sample]}`),
    ];
  });
  const read = gauges.flatMap(({ name, help, values }) => [
    ...heading(name, "gauge", help),
    ...values.map(({ labels, value }) => `${PREFIX}${sampleName(name, labels)} ${value}`),
  ]);
  return [...counted, ...read, ""].join("\n");
}

/** A series without the buckets of its histogram: the number of events, and the sum of their seconds. */
export interface SeriesTotal {
  metric: string;
  /** Labels as `{name="value",…}`; empty without labels. */
  labels: string;
  count: number;
  seconds: number;
}

/** Returns the series of samples, one for each counter and each histogram with its labels. */
export function seriesTotals(samples: Readonly<Samples>): SeriesTotal[] {
  return Object.entries(samples).flatMap(([sample, value]) => {
    const metric = metricOf(sample);
    if (metric === undefined) return [];
    const labels = sample.includes("{") ? sample.slice(sample.indexOf("{")) : "";
    if (METRICS[metric].type === "counter") return [{ metric, labels, count: value, seconds: 0 }];
    if (!sample.startsWith(`${metric}_count`)) return [];
    return [{ metric, labels, count: value, seconds: samples[`${metric}_sum${labels}`] ?? 0 }];
  });
}

function heading(name: string, type: string, help: string): string[] {
  return [`# HELP ${PREFIX}${name} ${help}`, `# TYPE ${PREFIX}${name} ${type}`];
}

function metricOf(sample: string): MetricName | undefined {
  const [family = ""] = sample.split("{", 1);
  if (family in METRICS) return family as MetricName;
  const name = family.replace(/_(?:bucket|sum|count)$/, "");
  return name in METRICS ? (name as MetricName) : undefined;
}

/** Sorts buckets by their bounds, and other samples by their text. */
function inOrder(left: string, right: string): number {
  const [first, second] = [left, right].map((sample) => sample.replace(/,?le="[^"]+"/, ""));
  if (first !== second) return (first ?? "") < (second ?? "") ? -1 : 1;
  return boundOf(left) - boundOf(right);
}

function boundOf(sample: string): number {
  const [, bound = "0"] = /le="([^"]+)"/.exec(sample) ?? [];
  return bound === "+Inf" ? Infinity : Number(bound);
}

function sampleName(name: string, labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length === 0 ? name : `${name}{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.slice(0, 80).replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function add(samples: Samples, name: string, amount: number): void {
  samples[name] = (samples[name] ?? 0) + amount;
}
