import type { Locator } from "@cloudflare/playwright";
import { locate, UsageError } from "./locate.ts";
import { need, parseWords, toNumber } from "./parse-words.ts";
import type { Hand, Verb, Verbs } from "./verb.ts";
import { withoutPrototype } from "../../core/without-prototype.ts";

const SCROLL_STEP_PX = 500;
const DIRECTIONS: Record<string, [x: number, y: number]> = withoutPrototype({
  up: [0, -1],
  down: [0, 1],
  left: [-1, 0],
  right: [1, 0],
});

/** A verb on one element: the first word says which. */
function onElement(done: string, act: (element: Locator, rest: string[], hand: Hand) => Promise<void>): Verb {
  return async (hand, args) => {
    const [selector, ...rest] = args;
    if (selector === undefined) throw new UsageError("Missing: the element, as @e1 of a snapshot or a CSS selector");
    const before = hand.context.pages().length;
    await act(await locate(hand.page, hand.state, selector), rest, hand);
    const pages = hand.context.pages();
    if (pages.length <= before) return done;
    return `${done}. A new tab was opened: tab ${(await hand.tabs()).length - 1}`;
  };
}

async function press({ page, state }: Hand, args: readonly string[]): Promise<string> {
  if (args.length > 1) await (await locate(page, state, need(args, 0, "the element"))).press(need(args, 1, "the key"));
  else await page.keyboard.press(need(args, 0, "the key, such as Enter or Control+a"));
  return "Pressed";
}

async function type({ page, state }: Hand, args: readonly string[]): Promise<string> {
  const [selector, ...words] = args;
  if (words.length === 0) await page.keyboard.type(need(args, 0, "the text"));
  else await (await locate(page, state, selector ?? "")).pressSequentially(words.join(" "));
  return "Typed";
}

async function scroll({ page, state }: Hand, args: readonly string[]): Promise<string> {
  const { words, value } = parseWords(args, ["-s", "--selector"]);
  const [first = "down", amount] = words;
  const direction = DIRECTIONS[first];
  if (direction === undefined) {
    await (await locate(page, state, first)).scrollIntoViewIfNeeded();
    return "Scrolled into view";
  }
  const px = amount === undefined ? SCROLL_STEP_PX : toNumber(amount, "pixels");
  const [x, y] = [direction[0] * px, direction[1] * px];
  const selector = value("-s", "--selector");
  const scrolled = selector === undefined ? page.locator("html") : await locate(page, state, selector);
  // Not behaviour "smooth", which the page's own style may ask for: what is looked at next must be where it will stay.
  await scrolled.evaluate((element, [left, top]) => element.scrollBy({ left, top, behavior: "instant" }), [x, y]);
  return `Scrolled ${first} ${px}`;
}

async function upload({ page, state, readFile }: Hand, args: readonly string[]): Promise<string> {
  const [selector, ...paths] = args;
  need(paths, 0, "the files");
  const files = await Promise.all(
    paths.map(async (path) => ({
      name: path.split("/").at(-1) ?? path,
      mimeType: "application/octet-stream",
      buffer: Buffer.from(await readFile(path)),
    })),
  );
  await (await locate(page, state, selector ?? "")).setInputFiles(files);
  return `Uploaded ${files.length}`;
}

async function drag({ page, state }: Hand, args: readonly string[]): Promise<string> {
  const from = await locate(page, state, need(args, 0, "the element"));
  await from.dragTo(await locate(page, state, need(args, 1, "where to")));
  return "Dragged";
}

const scrollIntoView = onElement("Scrolled into view", (element) => element.scrollIntoViewIfNeeded());

export const INPUT_VERBS: Verbs = {
  click: onElement("Clicked", (element) => element.click()),
  dblclick: onElement("Double-clicked", (element) => element.dblclick()),
  hover: onElement("Hovered", (element) => element.hover()),
  focus: onElement("Focused", (element) => element.focus()),
  check: onElement("Checked", (element) => element.check()),
  uncheck: onElement("Unchecked", (element) => element.uncheck()),
  fill: onElement("Filled", (element, words) => element.fill(words.join(" "))),
  select: onElement("Selected", async (element, values) => {
    // The empty option has the value "".
    if (values.length === 0) throw new UsageError("Missing: the option");
    await element.selectOption(values);
  }),
  type,
  press,
  key: press,
  scroll,
  scrollintoview: scrollIntoView,
  scrollinto: scrollIntoView,
  upload,
  drag,
};
