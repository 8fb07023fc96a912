import type { Reply } from "../client.ts";

/**
 * Averages of every number in the answers' `Server-Timing` headers (W3C Server Timing): a duration `name;dur=1.5`, or a
 * count `name;desc="3"`. An answer without a name counts as 0 of it.
 */
export function averageServerTiming(replies: readonly Reply[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const reply of replies) {
    for (const [name, value] of readServerTiming(reply)) sums[name] = (sums[name] ?? 0) + value;
  }
  return Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, sum / replies.length]));
}

function readServerTiming(reply: Reply): [string, number][] {
  const header = [reply.headers["server-timing"] ?? []].flat().join(",");
  const entries = header.matchAll(/([\w-]+)\s*;\s*(dur|desc)="?(-?[\d.]+)"?/g);
  return [...entries].map(([, name = "", kind, value]) => [kind === "dur" ? `${name} ms` : name, Number(value)]);
}
