import { ask } from "../api/client.ts";
import type { Arrival } from "./activity.ts";

/** Reads the newest requests of the team. */
export async function readArrivals(signal: AbortSignal, limit = 20): Promise<Arrival[]> {
  const { data } = await ask<{ data: Arrival[] }>(`/v2/team/activity?limit=${limit}`, { signal });
  return data;
}
