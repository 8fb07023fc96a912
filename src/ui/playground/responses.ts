import type { ApiResponse } from "../api/client.ts";
import { keys } from "../api/keys.ts";
import { toAgo } from "../parts/format.ts";
import { documentsIn } from "./response/documents.ts";
import { history, subjectOf } from "./history.ts";
import type { NamedScreenshot } from "./results/compare-screenshots.tsx";

/** A response of this tab. It is in memory only, so that nothing of it stays in the browser. */
export interface KeptResponse {
  answer: ApiResponse;
  /** The latest status of the job that the response started. */
  followed?: ApiResponse;
}

const MAX_KEPT = 20;
/** Characters of all responses together. */
const MAX_CHARACTERS = 32_000_000;

const kept = new Map<string, KeptResponse>();
keys.subscribe(() => kept.clear());

export function responseOf(id: string): KeptResponse | undefined {
  return kept.get(id);
}

/** Stores the response of a run for this tab. The oldest ones are dropped when there are too many. */
export function keepResponse(id: string, response: KeptResponse): void {
  kept.delete(id);
  kept.set(id, response);
  let characters = [...kept.values()].reduce((sum, one) => sum + sizeOf(one), 0);
  for (const [oldest, one] of kept) {
    if (oldest === id || (kept.size <= MAX_KEPT && characters <= MAX_CHARACTERS)) break;
    kept.delete(oldest);
    characters -= sizeOf(one);
  }
}

function sizeOf({ answer, followed }: KeptResponse): number {
  return answer.text.length + (followed?.text.length ?? 0);
}

/** Returns the screenshots of this tab's other responses, newest first. */
export function earlierScreenshots(id: string | undefined): NamedScreenshot[] {
  return history.get().flatMap((past) => {
    const response = past.id === id ? undefined : kept.get(past.id);
    const documents = documentsIn((response?.followed ?? response?.answer)?.body);
    return documents.flatMap(({ screenshot, url }) =>
      screenshot === undefined
        ? []
        : [{ label: `${url ?? subjectOf(past.request)}, ${toAgo(past.atMs)}`, url: screenshot }],
    );
  });
}
