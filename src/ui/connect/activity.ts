/** A request of the last 24 hours, as the activity lists it. */
export interface Arrival {
  id: string;
  endpoint: string;
  created_at: string;
  target: string | null;
  succeeded: boolean;
  duration_ms: number;
  user_agent: string | null;
}

/** Returns the requests that are not in an earlier list. */
export function arrivedSince(earlier: readonly Arrival[], now: readonly Arrival[]): Arrival[] {
  const known = new Set(earlier.map(({ id }) => id));
  return now.filter(({ id }) => !known.has(id));
}

/** Reports whether a tool of the MCP server sent the request. */
export function isFromMcp({ user_agent: agent }: Pick<Arrival, "user_agent">): boolean {
  return agent !== null && /^mcp\b/.test(agent);
}

/** Returns the program of a request in words. */
export function clientInWords({ user_agent: agent }: Pick<Arrival, "user_agent">): string {
  if (agent === null || agent === "") return "an unnamed client";
  if (/^mcp\b/.test(agent)) return agent === "mcp" ? "an MCP client" : `MCP, ${agent.slice("mcp ".length)}`;
  return agent.startsWith("Mozilla/") ? "a browser" : agent;
}
