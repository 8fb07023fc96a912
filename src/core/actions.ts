import { z } from "zod";

/** Sizes of paper that a `pdf` action knows. */
export const PAPER_FORMATS = [
  "A0", "A1", "A2", "A3", "A4", "A5", "A6", "Letter", "Legal", "Tabloid", "Ledger",
] as const; // prettier-ignore

export const Viewport = z.object({
  width: z.int().min(1).max(7680),
  height: z.int().min(1).max(4320),
});

/** How a screenshot is taken; `quality` (1–100) switches from PNG to JPEG. */
export const ScreenshotOptions = z.object({
  fullPage: z.boolean().default(false),
  quality: z.int().min(1).max(100).optional(),
  viewport: Viewport.optional(),
});
export type ScreenshotOptions = z.infer<typeof ScreenshotOptions>;

const Wait = z
  .object({
    type: z.literal("wait"),
    milliseconds: z.int().positive().optional(),
    selector: z.string().min(1).optional(),
  })
  .refine((action) => (action.milliseconds === undefined) !== (action.selector === undefined), {
    message: "Either 'milliseconds' or 'selector' must be provided, but not both.",
  });

const Click = z.object({ type: z.literal("click"), selector: z.string().min(1), all: z.boolean().default(false) });
const Screenshot = ScreenshotOptions.extend({ type: z.literal("screenshot") });
const Write = z.object({ type: z.literal("write"), text: z.string() });
const Press = z.object({ type: z.literal("press"), key: z.string().min(1) });
const Scroll = z.object({
  type: z.literal("scroll"),
  direction: z.enum(["up", "down"]).default("down"),
  selector: z.string().min(1).optional(),
});
const Scrape = z.object({ type: z.literal("scrape") });
const ExecuteJavascript = z.object({ type: z.literal("executeJavascript"), script: z.string() });
const Pdf = z.object({
  type: z.literal(["pdf", "generatePDF"]),
  landscape: z.boolean().default(false),
  scale: z.number().min(0.1).max(2).default(1),
  format: z.enum(PAPER_FORMATS).default("Letter"),
});

/**
 * One step on the page before it is captured (contract § 5.5). Unknown keys are dropped, since clients send some.
 * `generatePDF` is the name that MCP clients use for `pdf`.
 */
export const Action = z.union([Wait, Click, Screenshot, Write, Press, Scroll, Scrape, ExecuteJavascript, Pdf]);
export type Action = z.infer<typeof Action>;

const MAX_ACTIONS = 50;
const MAX_TOTAL_WAIT_MS = 60_000;
const SELECTOR_WAIT_MS = 1000;

export const Actions = z
  .array(Action)
  .refine((actions) => actions.length <= MAX_ACTIONS, { message: `Number of actions cannot exceed ${MAX_ACTIONS}` });

/** Milliseconds that the waits of a request add up to; waiting for a selector counts as one second. */
export function totalWaitMs(actions: readonly Action[], waitForMs: number): number {
  return actions.reduce((sum, action) => {
    if (action.type !== "wait") return sum;
    return sum + (action.milliseconds ?? SELECTOR_WAIT_MS);
  }, waitForMs);
}

export const WAIT_TOO_LONG = `Total wait time (waitFor + wait actions) cannot exceed ${MAX_TOTAL_WAIT_MS} milliseconds`;

/** True when the waits of a request are within the limit. */
export function waitsAreBounded(actions: readonly Action[], waitForMs: number): boolean {
  return totalWaitMs(actions, waitForMs) <= MAX_TOTAL_WAIT_MS;
}
