import { parseHTML } from "linkedom";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { REPLAY_MARKUP } from "../../../../src/http/pages/replay-markup.ts";

const BOX_HEAD = 8;

/** Returns a box (ISO/IEC 14496-12) with some content. */
function box(name: string, content: readonly number[]): number[] {
  const size = BOX_HEAD + content.length;
  return [0, 0, 0, size, ...[...name].map((letter) => letter.charCodeAt(0)), ...content];
}

const uint32 = (value: number): number[] => [0, 0, Math.floor(value / 256), value % 256];

/** Returns a segment of frames that last a second each, of one byte: the number of the frame. */
function segment(frames: number): ArrayBuffer {
  const runOf = (from: number): number[] =>
    box("moof", box("traf", box("trun", [...uint32(0), ...uint32(frames), ...uint32(from), ...Array.from({ length: frames }, () => [...uint32(1_000), ...uint32(1)]).flat()]))); // prettier-ignore
  const from = runOf(0).length + BOX_HEAD;
  const numbers = Array.from({ length: frames }, (_, at) => at);
  return Uint8Array.from([...runOf(from), ...box("mdat", numbers)]).buffer;
}

/** Opens the player with two segments of three frames, of which some cannot be loaded or decoded. */
async function openPlayer(cannot: { load: Set<string>; decode: Set<number> }) {
  const { document, HTMLElement, HTMLInputElement, HTMLButtonElement } = parseHTML(`<body>${REPLAY_MARKUP}</body>`);
  const canvas = document.getElementById("canvas");
  const drawn: number[] = [];
  Object.assign(canvas ?? {}, {
    getContext: () => ({ drawImage: ({ frame }: { frame: number }) => drawn.push(frame) }),
  });
  const globals = {
    document,
    HTMLElement,
    HTMLInputElement,
    HTMLButtonElement,
    HTMLCanvasElement: HTMLElement,
    HTMLOutputElement: HTMLElement,
    location: { href: "https://orbweaver.example/replay/1?token=t" },
    getComputedStyle: () => ({ paddingLeft: "0", paddingTop: "0" }),
    createImageBitmap: async (jpeg: Blob) => {
      const [frame = 0] = new Uint8Array(await jpeg.arrayBuffer());
      if (cannot.decode.has(frame)) throw new Error("The source image could not be decoded.");
      return { width: 2, height: 1, frame, close: () => {} };
    },
    fetch: async (path: string) =>
      cannot.load.has(new URL(path, "https://orbweaver.example").pathname)
        ? new Response("", { status: 500 })
        : new Response(segment(3)),
  };
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  vi.resetModules();
  const { open, show } = await import("../../../../src/page-scripts/replay/player.ts");
  const { badge } = await import("../../../../src/page-scripts/replay/notices.ts");
  const page = { url: "", title: "", width: 2, height: 1, startMs: 0, endMs: 6_000, segments: [] };
  const partAt = (index: number) => ({ page, pageId: 0, index, startMs: index * 3_000, endMs: (index + 1) * 3_000 });
  document.getElementById("marks")?.append(Object.assign(document.createElement("b"), { id: "passed" }));
  badge("", "Recorded");
  open([partAt(0), partAt(1)], 0);
  return { show, drawn, badge: () => document.getElementById("badge")?.textContent };
}

/** Opens the page of a recording whose request has some status. @returns the title of its cover */
async function openRecording(status: number): Promise<string | null | undefined> {
  const { document, HTMLElement, HTMLInputElement, HTMLButtonElement } = parseHTML(`<body>${REPLAY_MARKUP}</body>`);
  Object.assign(document.getElementById("canvas") ?? {}, { getContext: () => ({}) });
  const globals = {
    document,
    window: new EventTarget(),
    addEventListener: () => {},
    ResizeObserver: class {
      observe(): void {}
    },
    HTMLElement,
    HTMLInputElement,
    HTMLButtonElement,
    HTMLCanvasElement: HTMLElement,
    HTMLOutputElement: HTMLElement,
    location: { href: "https://orbweaver.example/replay/1?token=t" },
    fetch: async () => new Response("", { status }),
  };
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  vi.resetModules();
  await import("../../../../src/page-scripts/replay/main.ts");
  return document.getElementById("cover-title")?.textContent;
}

beforeEach(() => () => {
  vi.unstubAllGlobals();
});

describe("the player of a recording", () => {
  test("skips a frame that cannot be decoded", async () => {
    const { show, drawn } = await openPlayer({ load: new Set(), decode: new Set([1]) });
    for (const ms of [0, 1_000, 2_000]) await show(ms);
    expect(drawn).toEqual([0, 2]);
  });

  test("shows that a segment is not loaded until one is", async () => {
    const load = new Set(["/replay/1/film/0/1.m4s"]);
    const { show, badge } = await openPlayer({ load, decode: new Set() });
    await show(0);
    expect(badge()).toBe("Recorded");
    await show(3_000);
    expect(badge()).toBe("Segment not loaded");
    load.clear();
    await show(4_000);
    expect(badge()).toBe("Recorded");
  });
});

test.each([
  { status: 404, title: "Recording not found" },
  { status: 403, title: "Invalid link" },
  { status: 429, title: "The recording could not be loaded" },
  { status: 503, title: "The recording could not be loaded" },
])("the page of a recording that is answered with $status shows: $title", async ({ status, title }) => {
  const shown = await openRecording(status);
  expect(shown).toBe(title);
});
