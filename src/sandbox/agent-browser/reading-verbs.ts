import { withExactPlaces } from "./exact-places.ts";
import { locate, locateAll, UsageError } from "./locate.ts";
import { need, parseWords, toNumber } from "./parse-words.ts";
import { parseSnapshot } from "./parse-snapshot.ts";
import type { Hand, Verbs } from "./verb.ts";

const WAIT_VALUES = ["--text", "--url", "--load", "--fn", "--state", "--timeout", "-t", "-u", "-l", "-f"];
const LOAD_STATES = ["load", "domcontentloaded", "networkidle"] as const;

/** The driver's snapshot in its form for agents is not in its types. */
interface SnapshotSource {
  _snapshotForAI(): Promise<string | { full: string }>;
}

async function snapshot({ page, state }: Hand, args: readonly string[]): Promise<string> {
  const { has, value } = parseWords(args, ["-d", "--depth", "-s", "--selector"]);
  const taken = await (page as unknown as SnapshotSource)["_snapshotForAI"]();
  const depth = value("-d", "--depth");
  const parsed = parseSnapshot(typeof taken === "string" ? taken : taken.full, {
    interactiveOnly: has("-i", "--interactive", "-ic", "-ci"),
    compact: has("-c", "--compact"),
    maxDepth: depth === undefined ? Infinity : toNumber(depth, "depth"),
  });
  state.refs = await withExactPlaces(page, parsed);
  return parsed.text === "" ? "(nothing to show)" : parsed.text;
}

async function get({ page, state }: Hand, args: readonly string[]): Promise<string> {
  const [what, selector, attribute] = args;
  if (what === "url") return page.url();
  if (what === "title") return page.title();
  const wanted = selector ?? (what === "text" || what === "html" ? "body" : need([], 0, "the element"));
  if (what === "count") return String(await (await locateAll(page, state, wanted)).count());
  const element = await locate(page, state, wanted);
  switch (what) {
    case "text":
      return element.innerText();
    case "html":
      return element.innerHTML();
    case "value":
      return element.inputValue();
    case "attr":
      return (await element.getAttribute(need(args, 2, "the attribute's name"))) ?? "";
    case "box":
      return JSON.stringify(await element.boundingBox());
    default:
      throw new UsageError(
        `Unknown: get ${what ?? ""} ${attribute ?? ""}. Use text, html, value, attr, url, title, count or box`,
      );
  }
}

async function is({ page, state }: Hand, args: readonly string[]): Promise<string> {
  const element = await locate(page, state, need(args, 1, "the element"));
  switch (args[0]) {
    case "visible":
      return String(await element.isVisible());
    case "enabled":
      return String(await element.isEnabled());
    case "checked":
      return String(await element.isChecked());
    default:
      throw new UsageError(`Unknown: is ${args[0] ?? ""}. Use visible, enabled or checked`);
  }
}

async function wait({ page, state }: Hand, args: readonly string[]): Promise<string> {
  const { words, value } = parseWords(args, WAIT_VALUES);
  const limit = value("--timeout");
  const timeout = limit === undefined ? {} : { timeout: toNumber(limit, "--timeout") };
  const [text, url, load, script] = [
    value("--text", "-t"),
    value("--url", "-u"),
    value("--load", "-l"),
    value("--fn", "-f"),
  ];
  if (text !== undefined) await page.getByText(text).first().waitFor(timeout);
  else if (url !== undefined) await page.waitForURL(url, timeout);
  else if (script !== undefined) await page.waitForFunction(script, undefined, timeout);
  else if (load !== undefined) {
    const known = LOAD_STATES.find((candidate) => candidate === load);
    if (known === undefined) throw new UsageError(`Unknown: --load ${load}. Use ${LOAD_STATES.join(", ")}`);
    await page.waitForLoadState(known, timeout);
  } else {
    const what = need(words, 0, "what to wait for: an element, ms, --text, --url, --load or --fn");
    if (/^\d+$/.test(what)) await page.waitForTimeout(Number(what));
    else {
      const states = ["attached", "detached", "visible", "hidden"] as const;
      const wanted = states.find((candidate) => candidate === value("--state")) ?? "visible";
      await (await locate(page, state, what)).waitFor({ state: wanted, ...timeout });
    }
  }
  return "Done";
}

async function evaluate({ page }: Hand, args: readonly string[]): Promise<string> {
  const script = need([args.join(" ")], 0, "the script");
  const value: unknown = await page.evaluate(script);
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
}

export const READING_VERBS: Verbs = {
  snapshot,
  get,
  is,
  wait,
  eval: evaluate,
  scrape: ({ page }) => page.locator("body").innerText(),
};
