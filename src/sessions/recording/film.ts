import type { Frame } from "../live-view/frame.ts";
import type { Sample } from "./motion-jpeg.ts";

/** A recorded tab: a page of the recording (api-contract.md, “Recordings”). Times in ms since the epoch. */
export interface FilmPage {
  url: string;
  title: string;
  width: number;
  height: number;
  startMs: number;
  endMs: number;
  /** Documents that the tab has shown, by the time from which it showed them. */
  titles?: { atMs: number; url: string; title: string }[] | undefined;
  segments: { startMs: number; endMs: number; frames: number; bytes: number }[];
}

/** Pictures of one page that are to be kept together. */
export interface FilmSegment {
  pageId: number;
  index: number;
  /** On the page's own time line. */
  startMs: number;
  samples: Sample[];
}

interface Shot {
  atMs: number;
  jpeg: Uint8Array;
}

const MAX_SEGMENT_MS = 10_000;
const MAX_SEGMENT_BYTES = 3_000_000;
/** Documents of a tab that are listed by title. */
const MAX_TITLES = 200;
/** The number of a page has at most three digits. */
const MAX_PAGES = 1000;

/** Shortest time between two kept pictures, by the bytes kept so far: a long restless recording gets coarser. */
const PACE: readonly { upToBytes: number; gapMs: number }[] = [
  { upToBytes: 40_000_000, gapMs: 200 },
  { upToBytes: 100_000_000, gapMs: 500 },
  { upToBytes: 200_000_000, gapMs: 2_000 },
];

/**
 * Sorts pictures into pages and segments. A picture stays until the next one comes, so a page's segments follow each
 * other without gaps; of pictures that come too fast, the last one counts. Knows no clock and keeps nothing by itself.
 */
export class Film {
  readonly pages: FilmPage[];
  bytes: number;
  /** Pictures were left out at the end, because there were too many. */
  isCut = false;
  readonly #pageIds = new Map<string, number>();
  #current: { pageId: number; startMs: number; shots: Shot[]; bytes: number } | undefined;
  /** Came too soon after the one before, and is kept unless another one follows as soon. */
  #late: Shot | undefined;
  /** Frames since the last segment ended. */
  #still: { pageId: number; jpeg: Uint8Array } | undefined;

  /** Goes on with what was filmed before, on pages of its own. */
  constructor(before: { pages: FilmPage[]; bytes: number } = { pages: [], bytes: 0 }) {
    this.pages = before.pages;
    this.bytes = before.bytes;
  }

  /** Takes a picture of a tab. @returns the segments that are complete now */
  add(
    tab: { id: string; url: string; title: string },
    frame: Pick<Frame, "atMs" | "jpeg" | "width" | "height">,
  ): FilmSegment[] {
    const gapMs = PACE.find(({ upToBytes }) => this.bytes < upToBytes)?.gapMs;
    if (gapMs === undefined) this.isCut = true;
    const pageId = this.#pageIdOf(tab, frame);
    if (gapMs === undefined || pageId === undefined) return [];
    const done = this.#current !== undefined && this.#current.pageId !== pageId ? this.cut(frame.atMs) : [];
    const shot = { atMs: frame.atMs, jpeg: frame.jpeg };
    const current = this.#current ?? this.#begin(pageId, frame.atMs);
    const last = current.shots.at(-1);
    if (last !== undefined && frame.atMs - last.atMs < gapMs) {
      this.#late = shot;
      return done;
    }
    this.#keep(shot);
    const isFull = frame.atMs - current.startMs >= MAX_SEGMENT_MS || current.bytes >= MAX_SEGMENT_BYTES;
    return isFull ? [...done, ...this.#close(frame.atMs, shot)] : done;
  }

  /** Ends the segment under way, the picture being shown until now. @returns it, or nothing when there is none */
  cut(nowMs: number): FilmSegment[] {
    if (this.#late !== undefined) this.#keep(this.#late);
    return this.#close(nowMs, undefined);
  }

  /** Ends the film: the last picture is shown until then. */
  finish(nowMs: number): FilmSegment[] {
    const done = this.cut(nowMs);
    const pageId = this.#still?.pageId;
    if (done.length > 0 || pageId === undefined) return done;
    this.#begin(pageId, nowMs);
    return this.cut(nowMs);
  }

  /** A page is known by where its tab went last, but for the blank page that it may end on. */
  describe({ id, url, title }: { id: string; url: string; title: string }, atMs: number): void {
    const page = this.pages[this.#pageIds.get(id) ?? -1];
    if (page === undefined || url === "about:blank") return;
    if (page.url === url && page.title === title && page.titles !== undefined) return;
    Object.assign(page, { url, title });
    const titles = (page.titles ??= []);
    const last = titles.at(-1);
    // A document gets its title after its address.
    if (last?.url === url) last.title = title;
    else if (titles.length < MAX_TITLES) titles.push({ atMs, url, title });
  }

  pageIdOf(tabId: string): number | undefined {
    return this.#pageIds.get(tabId);
  }

  /** A segment that goes on where the page's last one ended, with the picture that it ended with. */
  #begin(pageId: number, nowMs: number) {
    const page = this.pages[pageId];
    const still = this.#still?.pageId === pageId ? this.#still.jpeg : undefined;
    const startMs = still === undefined ? nowMs : (page?.endMs ?? nowMs);
    this.#current = { pageId, startMs, shots: [], bytes: 0 };
    if (still !== undefined && startMs < nowMs) this.#keep({ atMs: startMs, jpeg: still });
    return this.#current;
  }

  #keep(shot: Shot): void {
    this.#late = undefined;
    if (this.#current === undefined) return;
    this.#current.shots.push(shot);
    this.#current.bytes += shot.jpeg.length;
    this.bytes += shot.jpeg.length;
  }

  /** The last picture of a full segment begins the next one. */
  #close(endMs: number, next: Shot | undefined): FilmSegment[] {
    const current = this.#current;
    this.#current = undefined;
    const page = current === undefined ? undefined : this.pages[current.pageId];
    if (current === undefined || page === undefined) return [];
    const shots = next === undefined ? current.shots : current.shots.slice(0, -1);
    const last = current.shots.at(-1);
    if (last !== undefined) this.#still = { pageId: current.pageId, jpeg: last.jpeg };
    if (next !== undefined) {
      this.#current = { pageId: current.pageId, startMs: endMs, shots: [next], bytes: next.jpeg.length };
    }
    const times = [...shots.slice(1).map(({ atMs }) => atMs), Math.max(endMs, (shots.at(-1)?.atMs ?? endMs) + 1)];
    const samples = shots.map(({ jpeg, atMs }, place) => ({ jpeg, durationMs: (times[place] ?? endMs) - atMs }));
    if (samples.length === 0) return [];
    const index = page.segments.length;
    const bytes = samples.reduce((sum, { jpeg }) => sum + jpeg.length, 0);
    page.segments.push({ startMs: current.startMs, endMs: times.at(-1) ?? endMs, frames: samples.length, bytes });
    page.endMs = times.at(-1) ?? endMs;
    return [{ pageId: current.pageId, index, startMs: current.startMs - page.startMs, samples }];
  }

  #pageIdOf(tab: { id: string; url: string; title: string }, frame: Pick<Frame, "atMs" | "width" | "height">) {
    const known = this.#pageIds.get(tab.id);
    const page = known === undefined ? undefined : this.pages[known];
    if (page !== undefined) {
      this.describe(tab, frame.atMs);
      return known;
    }
    if (this.pages.length >= MAX_PAGES) return undefined;
    const { url, title } = tab;
    const { atMs, width, height } = frame;
    this.pages.push({ url, title, width, height, startMs: atMs, endMs: atMs, segments: [] });
    this.#pageIds.set(tab.id, this.pages.length - 1);
    this.describe(tab, atMs);
    return this.pages.length - 1;
  }
}
