/** A tab of the recording. Times in ms since the epoch. */
export interface RecordedPage {
  url: string;
  title: string;
  width: number;
  height: number;
  startMs: number;
  endMs: number;
  /** Documents that the tab has shown. Absent in earlier recordings. */
  titles?: { atMs: number; url: string; title: string }[];
  segments: { startMs: number; endMs: number }[];
}

/** The response of `/replay/{id}/recording`. */
export interface Recording {
  startedMs: number;
  /** Null while the recording runs. */
  endedMs: number | null;
  isTruncated: boolean;
  pages: RecordedPage[];
}

/** A segment of the recording, with its number within the page's segments. */
export interface Part {
  page: RecordedPage;
  pageId: number;
  index: number;
  startMs: number;
  endMs: number;
}

/** Returns the segments of all pages by their start. */
export function partsOf({ pages }: Recording): Part[] {
  const parts = pages.flatMap((page, pageId) =>
    page.segments.map(({ startMs, endMs }, index) => ({ page, pageId, index, startMs, endMs })),
  );
  return parts.toSorted((one, other) => one.startMs - other.startMs);
}

/**
 * Returns when a request of a tab can be seen: a tab that was opened is filmed after its first requests.
 * @param pageref the tab of a HAR entry, `page_0` for the first one.
 * @param atMs start of the request, in ms since the epoch.
 */
export function seenAtMs(atMs: number, pageref: string, pages: readonly RecordedPage[]): number {
  const [first] = pages[Number(pageref.replace("page_", ""))]?.segments ?? [];
  return Math.max(atMs, first?.startMs ?? atMs);
}

/** Returns the last item that starts at or before a time; the first one when none does. */
export function latestAt<T>(items: readonly T[], ms: number, startOf: (item: T) => number): T | undefined {
  let found = items[0];
  for (const item of items) {
    if (startOf(item) > ms) break;
    found = item;
  }
  return found;
}

/** Writes a time in ms as `m:ss` or `h:mm:ss`. */
export function toClock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const minutes = Math.floor(seconds / 60);
  const rest = String(seconds % 60).padStart(2, "0");
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}
