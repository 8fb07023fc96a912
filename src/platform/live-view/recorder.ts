import { readStored } from "../../core/stored-state.ts";
import { recordingFolder, recordingKeys } from "../../core/sessions/recording-keys.ts";
import type { Blobs } from "../../ports/storage/blobs.ts";
import { RecordingManifest } from "../../ports/sessions/recordings.ts";
import type { Tab } from "../../sessions/live-view/cast.ts";
import type { Frame } from "../../sessions/live-view/frame.ts";
import { Film, type FilmSegment } from "../../sessions/recording/film.ts";
import type { HarEntry } from "../../sessions/recording/har.ts";
import { mediaSegment } from "../../sessions/recording/motion-jpeg.ts";

/** The parameters of a recording, stored while its object hibernates. */
export interface RecordingNote {
  sessionId: string;
  teamId: string;
  browserId: string;
  playToken: string;
  startedMs: number;
}

const MAX_NETWORK_ENTRIES = 50_000;
const MAX_NETWORK_CHARS = 30_000_000;

/** Writes a session's pictures and requests in parts, each with an updated manifest. */
export class Recorder {
  readonly note: RecordingNote;
  readonly #blobs: Blobs;
  readonly #folder: string;
  readonly #film: Film;
  readonly #network: { segments: number; entries: number; chars: number };
  #segments: FilmSegment[] = [];
  #entries: { tabId: string; entry: HarEntry }[] = [];
  #isCut: boolean;
  #writing: Promise<void> = Promise.resolve();

  /** Starts a recording, or continues that of an earlier object of the same session. */
  static async open(note: RecordingNote, blobs: Blobs): Promise<Recorder> {
    const folder = recordingFolder(note.sessionId) ?? "";
    const text = await blobs.text(recordingKeys.manifest(folder));
    const before = text === undefined ? undefined : readStored(RecordingManifest, text, "recording");
    return new Recorder({ note, blobs, folder, before });
  }

  private constructor(parts: {
    note: RecordingNote;
    blobs: Blobs;
    folder: string;
    before: RecordingManifest | undefined;
  }) {
    const { note, blobs, folder, before } = parts;
    this.note = note;
    this.#blobs = blobs;
    this.#folder = folder;
    const pages = before?.pages ?? [];
    const bytes = pages.flatMap(({ segments }) => segments).reduce((sum, segment) => sum + segment.bytes, 0);
    this.#film = new Film({ pages, bytes });
    this.#network = { segments: 0, entries: 0, chars: 0, ...before?.network };
    this.#isCut = before?.isCut ?? false;
  }

  frame(tab: Tab, frame: Frame): void {
    this.#segments.push(...this.#film.add(tab, frame));
  }

  /** Updates titles and addresses, which change without a new picture. */
  describe(tabs: readonly Tab[], atMs: number): void {
    for (const tab of tabs) this.#film.describe(tab, atMs);
  }

  /** @returns false for a request that is not recorded, and then for all later ones */
  request(tabId: string, entry: HarEntry): boolean {
    if (this.#network.entries >= MAX_NETWORK_ENTRIES || this.#network.chars >= MAX_NETWORK_CHARS) {
      this.#isCut = true;
      return false;
    }
    this.#network.entries += 1;
    this.#network.chars += JSON.stringify(entry).length;
    this.#entries.push({ tabId, entry });
    return true;
  }

  /** Writes everything recorded since the last call. */
  flush(nowMs: number): Promise<void> {
    this.#segments.push(...this.#film.cut(nowMs));
    return this.#write(undefined);
  }

  finish(nowMs: number): Promise<void> {
    this.#segments.push(...this.#film.finish(nowMs));
    return this.#write(nowMs);
  }

  /** Serialised, with the manifest last: every part that it names is stored. */
  #write(endedMs: number | undefined): Promise<void> {
    const segments = this.#segments.splice(0);
    const entries = this.#entries.splice(0);
    this.#writing = this.#writing
      .then(() => this.#writeParts(segments, entries, endedMs))
      .catch((error: unknown) => {
        console.warn(JSON.stringify({ event: "recording_failed", reason: String(error) }));
      });
    return this.#writing;
  }

  async #writeParts(
    segments: FilmSegment[],
    entries: { tabId: string; entry: HarEntry }[],
    endedMs: number | undefined,
  ) {
    if (segments.length === 0 && entries.length === 0 && endedMs === undefined) return;
    for (const { pageId, index, startMs, samples } of segments) {
      const body = mediaSegment(samples, { index, startMs });
      await this.#blobs.put(recordingKeys.film(this.#folder, pageId, index), body, {
        contentType: "video/iso.segment",
      });
    }
    if (entries.length > 0) await this.#writeNetwork(entries);
    await this.#writeManifest(endedMs);
  }

  async #writeNetwork(entries: readonly { tabId: string; entry: HarEntry }[]): Promise<void> {
    const lines = entries.map(({ tabId, entry }) => {
      const pageref = `page_${this.#film.pageIdOf(tabId) ?? 0}`;
      return `${JSON.stringify({ ...entry, pageref })}\n`;
    });
    await this.#blobs.put(recordingKeys.network(this.#folder, this.#network.segments), lines.join(""));
    this.#network.segments += 1;
  }

  async #writeManifest(endedMs: number | undefined): Promise<void> {
    const { sessionId, teamId, playToken, startedMs } = this.note;
    const manifest: RecordingManifest = {
      sessionId,
      teamId,
      playToken,
      startedMs,
      endedMs,
      pages: this.#film.pages,
      network: this.#network,
      isCut: this.#isCut || this.#film.isCut,
    };
    await this.#blobs.put(recordingKeys.manifest(this.#folder), JSON.stringify(manifest), {
      contentType: "application/json",
    });
  }
}
