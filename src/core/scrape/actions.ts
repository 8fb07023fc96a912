import { z } from "zod";
import { ofRequests } from "../schema/list-limits.ts";

/** Characters of a script, or of a text to type, in a request. */
const MAX_SCRIPT_CHARS = 1_000_000;

/** Paper sizes of the `pdf` action. */
const PAPER_FORMATS = [
  "A0", "A1", "A2", "A3", "A4", "A5", "A6", "Letter", "Legal", "Tabloid", "Ledger",
] as const; // prettier-ignore

const Viewport = z.object({
  width: z.int().min(1).max(7680).describe("Width of the viewport in CSS pixels, 1 to 7680."),
  height: z.int().min(1).max(4320).describe("Height of the viewport in CSS pixels, 1 to 4320."),
});

/** Screenshot options; `quality` (1–100) switches from PNG to JPEG. */
export const ScreenshotOptions = z.object({
  fullPage: z.boolean().default(false).describe("Captures the whole page instead of the viewport. Default: false."),
  quality: z.int().min(1).max(100).optional().describe("JPEG quality, 1 to 100. Without it the screenshot is a PNG."),
  viewport: Viewport.optional().describe("Size of the viewport for the screenshot. Default: the viewport of the page."),
});
export type ScreenshotOptions = z.infer<typeof ScreenshotOptions>;

const Wait = z
  .object({
    type: z.literal("wait").describe("Waits for a time or for an element."),
    milliseconds: z
      .int()
      .positive()
      .optional()
      .describe("Time to wait in milliseconds. Give either this or `selector`."),
    selector: z
      .string()
      .min(1)
      .optional()
      .describe("CSS selector to wait for. It counts as 1,000 ms towards the limit of all waits."),
  })
  .refine((action) => (action.milliseconds === undefined) !== (action.selector === undefined), {
    message: "Either 'milliseconds' or 'selector' must be provided, but not both.",
  });

const Click = z.object({
  type: z.literal("click").describe("Clicks an element."),
  selector: z.string().min(1).describe("CSS selector of the element to click."),
  all: z
    .boolean()
    .default(false)
    .describe("Clicks every matching element; it is then no error when none matches. Default: false."),
});
const Screenshot = ScreenshotOptions.extend({
  type: z.literal("screenshot").describe("Takes a screenshot, returned in `actions.screenshots`."),
});
const Write = z.object({
  type: z.literal("write").describe("Types text into the focused element."),
  text: ofRequests(z.string().describe("Text to type, at most 1,000,000 characters."), MAX_SCRIPT_CHARS),
});
const Press = z.object({
  type: z.literal("press").describe("Presses a key."),
  key: z.string().min(1).describe("Name of the key to press, for example `Enter`."),
});
const Scroll = z.object({
  type: z.literal("scroll").describe("Scrolls the page or an element."),
  direction: z.enum(["up", "down"]).default("down").describe("Direction of scrolling. Default: down."),
  selector: z.string().min(1).optional().describe("CSS selector of the element to scroll. Default: the page."),
  toEnd: z
    .boolean()
    .optional()
    .describe("Scrolls to the end, and again while more is loaded there, for at most 20 seconds. Default: false."),
});
const MAX_COLLECTED = 10_000;
const Collect = z.object({
  type: z
    .literal("collect")
    .describe(
      "Scrolls through a list, or loads more of it, and keeps every item, also of lists that drop items out of view.",
    ),
  item: z.string().min(1).describe("CSS selector of the items of the list."),
  within: z
    .string()
    .min(1)
    .optional()
    .describe("CSS selector of the element that scrolls. Default: the one around the items, or the page."),
  more: z
    .string()
    .min(1)
    .optional()
    .describe(
      "CSS selector of a button or link that loads more items or shows the next page of them. It is clicked, in place of scrolling, until it is gone or disabled.",
    ),
  maxItems: z
    .int()
    .min(1)
    .max(MAX_COLLECTED)
    .default(1_000)
    .describe("Items after which the action ends, 1 to 10,000. Default: 1,000."),
  maxMilliseconds: z
    .int()
    .min(1_000)
    .max(60_000)
    .default(20_000)
    .describe("Time after which the action ends, 1,000 to 60,000 ms. Default: 20,000."),
});
const Scrape = z.object({
  type: z.literal("scrape").describe("Captures the URL and HTML of the page, returned in `actions.scrapes`."),
});
const ExecuteJavascript = z.object({
  type: z
    .literal("executeJavascript")
    .describe("Runs JavaScript in the page; its value is returned in `actions.javascriptReturns`."),
  script: ofRequests(
    z.string().describe("JavaScript source to run in the page, at most 1,000,000 characters."),
    MAX_SCRIPT_CHARS,
  ),
});
const Pdf = z.object({
  type: z
    .literal(["pdf", "generatePDF"])
    .describe("Prints the page to a PDF, returned in `actions.pdfs`. `generatePDF` is an alias."),
  landscape: z.boolean().default(false).describe("Prints in landscape orientation. Default: false."),
  scale: z.number().min(0.1).max(2).default(1).describe("Scale of the printed page, 0.1 to 2. Default: 1."),
  format: z.enum(PAPER_FORMATS).default("Letter").describe("Paper format of the PDF. Default: Letter."),
});

/**
 * One step on the page before it is captured (api-contract.md, “Actions”). Unknown keys are dropped, since clients
 * send some.
 * `generatePDF` is the name that MCP clients use for `pdf`.
 */
export const Action = z.union([Wait, Click, Screenshot, Write, Press, Scroll, Collect, Scrape, ExecuteJavascript, Pdf]);
export type Action = z.infer<typeof Action>;

const MAX_ACTIONS = 50;
const MAX_TOTAL_WAIT_MS = 60_000;
const SELECTOR_WAIT_MS = 1000;

export const Actions = z
  .array(Action)
  .refine((actions) => actions.length <= MAX_ACTIONS, { message: `Number of actions cannot exceed ${MAX_ACTIONS}` });

/** Returns the sum of a request's waits in milliseconds; waiting for a selector counts as one second. */
export function totalWaitMs(actions: readonly Action[], waitForMs: number): number {
  return actions.reduce((sum, action) => {
    if (action.type !== "wait") return sum;
    return sum + (action.milliseconds ?? SELECTOR_WAIT_MS);
  }, waitForMs);
}

export const WAIT_TOO_LONG = `Total wait time (waitFor + wait actions) cannot exceed ${MAX_TOTAL_WAIT_MS} milliseconds`;

/** Reports whether the waits of a request are within the limit. */
export function waitsAreBounded(actions: readonly Action[], waitForMs: number): boolean {
  return totalWaitMs(actions, waitForMs) <= MAX_TOTAL_WAIT_MS;
}
