/** Frames that a viewer may have on its way before it gets another one. */
const MAX_UNPAINTED = 3;
/** The browser makes the next frame when the last one was acknowledged: some 25 a second for people, fewer for a film. */
const VIEWER_GAP_MS = 40;
const FILM_GAP_MS = 200;
/** A viewer that says nothing for so long is counted as gone, and the others wait for it no more. */
const SILENT_MS = 3_000;

/** How far a viewer is. */
export interface Paint {
  sent: number;
  painted: number;
  sentAtMs: number;
}

export const NOTHING_SENT: Paint = { sent: 0, painted: 0, sentAtMs: 0 };

/** Decides whether a viewer gets the next frame. A slow viewer skips frames and then gets the newest. */
export function isReady({ sent, painted, sentAtMs }: Paint, nowMs: number): boolean {
  return sent - painted < MAX_UNPAINTED || nowMs - sentAtMs > SILENT_MS;
}

/** Ms to wait before the browser is let make its next frame. */
export function frameDelayMs(lastFrameMs: number, nowMs: number, hasViewers: boolean): number {
  return Math.max(0, lastFrameMs + (hasViewers ? VIEWER_GAP_MS : FILM_GAP_MS) - nowMs);
}
