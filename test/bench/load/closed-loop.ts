import type { Client, Reply } from "../client.ts";
import { createClient } from "../client.ts";

export interface Latencies {
  p50: number;
  p95: number;
  p99: number;
}

export interface LoadResult extends Latencies {
  concurrency: number;
  requests: number;
  /** Answers that `judge` found nothing wrong with. */
  good: number;
  perSecond: number;
  /** What was wrong, and how often. */
  failures: Record<string, number>;
  replies: Reply[];
}

export interface Load {
  concurrency: number;
  requests: number;
  key?: string;
  send(client: Client, index: number): Promise<Reply>;
  /** What is wrong with an answer; undefined for nothing. */
  judge(reply: Reply): string | undefined;
}

/** Keeps `concurrency` requests under way until all were sent; a new one starts when one has ended. */
export async function closedLoop(load: Load): Promise<LoadResult> {
  const client = createClient(load);
  const replies: Reply[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < load.requests; index = next++) replies.push(await load.send(client, index));
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: Math.min(load.concurrency, load.requests) }, worker));
  const seconds = (performance.now() - startedAt) / 1000;
  client.close();

  const failures: Record<string, number> = {};
  const good = replies.filter((reply) => {
    const failure = load.judge(reply);
    if (failure !== undefined) failures[failure] = (failures[failure] ?? 0) + 1;
    return failure === undefined;
  });
  return {
    concurrency: load.concurrency,
    requests: replies.length,
    good: good.length,
    perSecond: good.length / seconds,
    ...latencies(good.map(({ ms }) => ms)),
    failures,
    replies: good,
  };
}

/** Percentiles by nearest rank; NaN without values. */
export function latencies(values: readonly number[]): Latencies {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = (percent: number): number =>
    sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
  return { p50: rank(50), p95: rank(95), p99: rank(99) };
}
