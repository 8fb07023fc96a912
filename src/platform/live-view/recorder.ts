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
  /** True while parts of the recording are in the memory of the object alone, from which a restart removes them. */
  isUnwritten?: boolean;
}

const MAX_NETWORK_ENTRIES = 50_000;
const MAX_NETWORK_CHARS = 30_000_000;
/** Bytes of pictures that wait while the bucket refuses them; later ones are left out. */
const MAX_WAITING_BYTES = 20_000_000;

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
  /** Undefined while recording. */
  #endedMs: number | undefined;
  /** True when the stored manifest lacks something that is stored, or the end. */
  #isManifestDue = false;
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
    this.#endedMs = before?.endedMs;
    const isLost = note.isUnwritten === true && this.#endedMs === undefined;
    this.#isCut = isLost || (before?.isCut ?? false);
    this.#isManifestDue = isLost;
  }

  frame(tab: Tab, frame: Frame): void {
    if (this.#endedMs !== undefined) return;
    if (this.#waitingBytes() >= MAX_WAITING_BYTES) this.#isCut = true;
    else this.#segments.push(...this.#film.add(tab, frame));
  }

  /** Updates titles and addresses, which change without a new picture. */
  describe(tabs: readonly Tab[], atMs: number): void {
    for (const tab of tabs) this.#film.describe(tab, atMs);
  }

  /** @returns false for a request that is not recorded, and then for all later ones */
  request(tabId: string, entry: HarEntry): boolean {
    if (this.#endedMs !== undefined) return false;
    if (this.#network.entries >= MAX_NETWORK_ENTRIES || this.#network.chars >= MAX_NETWORK_CHARS) {
      this.#isCut = true;
      return false;
    }
    this.#network.entries += 1;
    this.#network.chars += JSON.stringify(entry).length;
    this.#entries.push({ tabId, entry });
    return true;
  }

  /**
   * Writes everything recorded since the last call.
   * @throws Error when the bucket refuses a part; that part and the later ones are written with the next call.
   */
  async flush(nowMs: number): Promise<void> {
    if (this.#endedMs === undefined) this.#segments.push(...this.#film.cut(nowMs));
    await this.#write();
  }

  /**
   * Ends the recording and writes the rest of it. A repeated call writes what is left, and does not move the end.
   * @throws Error when the bucket refuses a part
   */
  async finish(nowMs: number): Promise<void> {
    if (this.#endedMs === undefined) {
      this.#segments.push(...this.#film.finish(nowMs));
      this.#endedMs = nowMs;
      this.#isManifestDue = true;
    }
    await this.#write();
  }

  #waitingBytes(): number {
    const samples = this.#segments.flatMap((segment) => segment.samples);
    return samples.reduce((sum, { jpeg }) => sum + jpeg.length, 0);
  }

  /** Serialised, with the manifest last: every part that it names is stored. */
  #write(): Promise<void> {
    const writing = this.#writing.then(() => this.#writeParts());
    this.#writing = writing.catch((error: unknown) => {
      console.warn(JSON.stringify({ event: "recording_failed", reason: String(error) }));
    });
    return writing;
  }

  async #writeParts(): Promise<void> {
    for (let next = this.#segments[0]; next !== undefined; next = this.#segments[0]) {
      const { pageId, index, startMs, samples } = next;
      const body = mediaSegment(samples, { index, startMs });
      await this.#blobs.put(recordingKeys.film(this.#folder, pageId, index), body, {
        contentType: "video/iso.segment",
      });
      this.#segments.shift();
      this.#isManifestDue = true;
    }
    if (this.#entries.length > 0) await this.#writeNetwork();
    if (!this.#isManifestDue) return;
    // The recording may end while its manifest is written.
    this.#isManifestDue = false;
    await this.#writeManifest().catch((error: unknown) => {
      this.#isManifestDue = true;
      throw error;
    });
  }

  async #writeNetwork(): Promise<void> {
    const lines = this.#entries.map(({ tabId, entry }) => {
      const pageref = `page_${this.#film.pageIdOf(tabId) ?? 0}`;
      return `${JSON.stringify({ ...entry, pageref })}\n`;
    });
    await this.#blobs.put(recordingKeys.network(this.#folder, this.#network.segments), lines.join(""));
    // Later ones may have come meanwhile.
    this.#entries.splice(0, lines.length);
    this.#network.segments += 1;
    this.#isManifestDue = true;
  }

  /** Returns the pages without the segments that are not stored yet. */
  #storedPages(): RecordingManifest["pages"] {
    const firstWaiting = new Map(this.#segments.toReversed().map(({ pageId, index }) => [pageId, index]));
    return this.#film.pages.map((page, pageId) => {
      const segments = page.segments.slice(0, firstWaiting.get(pageId));
      if (segments.length === page.segments.length) return page;
      return { ...page, segments, endMs: segments.at(-1)?.endMs ?? page.startMs };
    });
  }

  async #writeManifest(): Promise<void> {
    const { sessionId, teamId, playToken, startedMs } = this.note;
    const manifest: RecordingManifest = {
      sessionId,
      teamId,
      playToken,
      startedMs,
      endedMs: this.#endedMs,
      pages: this.#storedPages(),
      network: this.#network,
      isCut: this.#isCut || this.#film.isCut,
    };
    await this.#blobs.put(recordingKeys.manifest(this.#folder), JSON.stringify(manifest), {
      contentType: "application/json",
    });
  }
}
