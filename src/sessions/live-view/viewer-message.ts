import { z } from "zod";
import { countJsonValues } from "../../core/text/count-json-values.ts";
import type { ViewerMode } from "../../ports/sessions/live-view.ts";

/** A share of the picture's width or height, so that neither side needs to know how large the other shows it. */
const share = z.number().min(0).max(1);
const modifiers = z.number().int().min(0).max(15).default(0);
const tabId = z.string().min(1).max(100);

/** Choices that a list may have chosen. */
const MAX_CHOSEN = 1_000;
/** Objects, lists, fields and list entries of a message: a parser takes 10 ms for 60,000 brackets within each other. */
const MAX_VALUES = MAX_CHOSEN + 100;

const Point = z.object({ id: z.number().int().min(0).max(1_000_000), x: share, y: share });

/** Messages that every viewer may send at any time. */
const Watching = [
  /** The newest frame that was painted. */
  z.object({ type: z.literal("painted"), frame: z.number().int().min(0) }),
  z.object({ type: z.literal("ping") }),
] as const;

/** Messages that control the session, for drive tokens only. */
const Driving = [
  z.object({
    type: z.literal("mouse"),
    kind: z.enum(["down", "up", "move"]),
    x: share,
    y: share,
    button: z.enum(["none", "left", "middle", "right", "back", "forward"]).default("none"),
    /** Bits of `MouseEvent.buttons`. */
    buttons: z.number().int().min(0).max(31).default(0),
    clicks: z.number().int().min(0).max(3).default(0),
    modifiers,
  }),
  z.object({
    type: z.literal("wheel"),
    x: share,
    y: share,
    /** In CSS pixels. */
    deltaX: z.number().min(-10_000).max(10_000),
    deltaY: z.number().min(-10_000).max(10_000),
    modifiers,
  }),
  z.object({
    type: z.literal("touch"),
    kind: z.enum(["start", "move", "end", "cancel"]),
    /** The fingers that are still down. */
    points: z.array(Point).max(10),
    modifiers,
  }),
  z.object({
    type: z.literal("key"),
    kind: z.enum(["down", "up"]),
    key: z.string().min(1).max(40),
    code: z.string().max(40),
    keyCode: z.number().int().min(0).max(255),
    location: z.number().int().min(0).max(3).default(0),
    isRepeat: z.boolean().default(false),
    modifiers,
  }),
  /** Text that an input method or an on-screen keyboard has committed, or the viewer's clipboard. */
  z.object({ type: z.literal("text"), text: z.string().min(1).max(1_000_000) }),
  /** Text that an input method is still composing; empty when composition was cancelled. */
  z.object({ type: z.literal("compose"), text: z.string().max(10_000) }),
  /** Asks for what is selected, to be put into the clipboard of the person who watches. */
  z.object({ type: z.literal("copy"), isCut: z.boolean().default(false) }),
  z.object({ type: z.literal("navigate"), url: z.string().min(1).max(10_000) }),
  z.object({ type: z.literal("history"), step: z.union([z.literal(-1), z.literal(1)]) }),
  z.object({ type: z.literal("reload") }),
  z.object({ type: z.literal("stop") }),
  z.object({ type: z.literal("tab"), action: z.enum(["select", "close"]), id: tabId }),
  z.object({ type: z.literal("tab"), action: z.literal("open") }),
  z.object({ type: z.literal("dialog"), accept: z.boolean(), text: z.string().max(10_000).optional() }),
  /** The value for a field whose picker was offered. */
  z.object({ type: z.literal("fill"), value: z.string().max(100) }),
  /** A part of a file for the chooser that the page opened, in base64. */
  z.object({
    type: z.literal("file"),
    name: z.string().min(1).max(255),
    mimeType: z.string().max(255),
    part: z.string().max(1_000_000),
    isLast: z.boolean(),
  }),
  /** The files that were sent are chosen, or the choice is given up. */
  z.object({ type: z.literal("files"), isChosen: z.boolean() }),
  z.object({ type: z.literal("choose"), indexes: z.array(z.number().int().min(0).max(100_000)).max(MAX_CHOSEN) }),
] as const;

const WatchMessage = z.union(Watching);
const DriveMessage = z.union(Driving);
/** A message of a viewer's page. Fields with a default may be left out. */
export type ViewerMessage = z.input<typeof WatchMessage> | z.input<typeof DriveMessage>;
export type WatchMessage = z.infer<typeof WatchMessage>;
export type DriveMessage = z.infer<typeof DriveMessage>;

export type ReadMessage =
  | { kind: "watch"; message: WatchMessage }
  | { kind: "drive"; message: DriveMessage }
  /** Fits no message at all. */
  | { kind: "unknown" }
  /** Would steer the session, and may not. */
  | { kind: "refused" };

/** Reads what a viewer sent. Whether it may steer is decided here, in one place, by the token it came with. */
export function readViewerMessage(text: string, mode: ViewerMode): ReadMessage {
  const value = parseJson(text);
  const watch = WatchMessage.safeParse(value);
  if (watch.success) return { kind: "watch", message: watch.data };
  const drive = DriveMessage.safeParse(value);
  if (!drive.success) return { kind: "unknown" };
  return mode === "drive" ? { kind: "drive", message: drive.data } : { kind: "refused" };
}

function parseJson(text: string): unknown {
  if (text.length > MAX_VALUES && countJsonValues(new TextEncoder().encode(text), MAX_VALUES) > MAX_VALUES) {
    return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
