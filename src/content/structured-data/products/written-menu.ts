import type { MenuSource, PlainSection } from "./menu-source.ts";
import type { Price } from "../../../core/scrape/product.ts";
import { foldText } from "../../../core/search/words.ts";
import { WorkBudget } from "../../../core/work-budget.ts";
import { readPrice } from "./offers.ts";
import { readCurrency } from "../schema/values.ts";

/** A price at the end of a line: with a currency, or with two decimals as menus often write it. */
const PRICE_AT_END =
  /(?:[.·…_\s|]|^)((?:[$€£¥₹₩]\s?)?\d{1,4}(?:[.,]\d{2})?(?:\s?(?:[$€£¥₹₩円元]|EUR|USD|GBP|CHF|kr|zł|Kč|,-))?)\s*\|?\s*$/u;
const HEADING = /^#{1,6}\s+(\S.*)$/;
const BULLET = /^(?:[-*+]|\d+\.)\s+/;
const MIN_ITEMS = 3;
/** A page with more priced lines is a catalogue; the rest of it is not read. */
const MAX_ITEMS = 5_000;
/** Characters of a line that are read in the time of a step. */
const CHARS_PER_STEP = 16;
const MAX_NAME_CHARS = 120;
/** A longer line is a text and no dish; the rest of it is not read. */
const MAX_LINE_CHARS = 1_000;
const MENU_WORDS =
  /\b(?:menu|speisekarte|karte|carte|carta|menukarte|starters?|mains?|desserts?|drinks?|vorspeisen|hauptgerichte|getranke|antipasti|primi|secondi|dolci|entrees?|plats|boissons|postres|bebidas|lunch|dinner|breakfast|brunch|pizza|sushi|salads?|sides|soups?)\b|メニュー|菜单|菜單/u;
const DIETS: [RegExp, string][] = [
  [/\bvegan\b|\((?:vg|ve)\)/i, "vegan"],
  [/\bvegetarian\b|\bvegetarisch\b|\(v\)/i, "vegetarian"],
  [/\bgluten[- ]?free\b|\bglutenfrei\b|\(gf\)/i, "gluten-free"],
  [/\bhalal\b/i, "halal"],
  [/\bkosher\b/i, "kosher"],
];

/**
 * Reads a menu without mark-up: priced lines under headings. The confidence grows with the share that reads like a
 * menu.
 */
export function readWrittenMenu(
  { markdown, title, url, facts }: MenuSource,
  budget = new WorkBudget(),
): { sections: PlainSection[]; confidence: number } {
  const sections = readSections(markdown, facts.language, budget);
  const items = sections.flatMap((section) => section.items);
  if (items.length < MIN_ITEMS) return { sections: [], confidence: 0 };
  const names = foldText([title, url, ...sections.map(({ name }) => name)].join(" ").replaceAll(/[-_/]/g, " "));
  const isNamed = MENU_WORDS.test(names);
  const isGrouped = sections.length >= 2;
  const isDear = items.filter(({ price }) => (price?.amount ?? 0) > 150).length > items.length / 4;
  const confidence =
    0.25 + (isNamed ? 0.4 : 0) + (isGrouped ? 0.15 : 0) + (items.length >= 8 ? 0.1 : 0) - (isDear ? 0.3 : 0);
  return { sections, confidence: Math.round(Math.max(0, confidence) * 100) / 100 };
}

function readSections(markdown: string, language: string, budget: WorkBudget): PlainSection[] {
  const sections: PlainSection[] = [{ name: "Menu", items: [] }];
  /** Lines without a price since the last dish: they describe it, or name the next one. */
  let waiting: string[] = [];
  let count = 0;
  for (const whole of markdown.split("\n")) {
    if (count >= MAX_ITEMS || !budget.take(1 + Math.ceil(Math.min(whole.length, MAX_LINE_CHARS) / CHARS_PER_STEP))) {
      budget.cut("menu");
      break;
    }
    const raw = whole.slice(0, MAX_LINE_CHARS);
    const current = sections.at(-1) ?? { name: "Menu", items: [] };
    const heading = headingIn(raw.trim());
    const line = plain(heading ?? raw);
    if (line === "" || /^\|?[\s:|-]+\|?$/.test(raw)) continue;
    const priced = whole.length > MAX_LINE_CHARS ? undefined : pricedLine(line, language);
    if (priced !== undefined) {
      addItem(current, { ...priced, waiting });
      count++;
      waiting = [];
    } else if (heading !== undefined && !isItemHeading(raw, current)) {
      describeLast(current, waiting);
      sections.push({ name: line, items: [] });
      waiting = [];
    } else waiting.push(line);
  }
  const last = sections.at(-1);
  if (last !== undefined) describeLast(last, waiting);
  return sections.filter(({ items }) => items.length > 0);
}

/** Returns the text of a heading, without the number signs that may close it. */
function headingIn(line: string): string | undefined {
  const text = HEADING.exec(line)?.[1];
  if (text === undefined) return undefined;
  let end = text.length;
  while (text[end - 1] === "#") end--;
  return text.slice(0, end).trimEnd() || text;
}

interface PricedLine {
  /** Empty where the line holds the price alone. */
  name: string;
  price: Price;
}

/**
 * Adds an item. A lone price belongs to the lines above it: the last that begins like a name, and those that follow it.
 */
function addItem(section: PlainSection, { name, price, waiting }: PricedLine & { waiting: readonly string[] }): void {
  if (name !== "") {
    describeLast(section, waiting);
    section.items.push(toItem(name, price));
    return;
  }
  const at = waiting.findLastIndex((line) => /^[^\p{Ll}]/u.test(line) && line.length <= MAX_NAME_CHARS);
  const found = waiting[at];
  if (found === undefined) return;
  describeLast(section, waiting.slice(0, at));
  const item = toItem(found, price);
  const description = waiting.slice(at + 1).join(" ");
  section.items.push(description === "" ? item : { ...item, description });
}

/** Adds the line below a dish to it as its description. */
function describeLast({ items }: PlainSection, [line]: readonly string[]): void {
  const last = items.at(-1);
  if (last === undefined || line === undefined || last.description !== undefined || line.length > 300) return;
  last.description = line;
}

/** Reports whether a deep heading below a section names a dish whose price follows, and begins no section. */
function isItemHeading(raw: string, current: PlainSection): boolean {
  const depth = /^\s*(#+)/.exec(raw)?.[1]?.length ?? 0;
  return depth >= 4 && current.name !== "Menu";
}

function pricedLine(line: string, language: string): PricedLine | undefined {
  const match = PRICE_AT_END.exec(line);
  const written = match?.[1];
  if (match === null || written === undefined) return undefined;
  // A bare whole number at the end of a line is a year or a count as often as a price.
  if (readCurrency(written) === undefined && !/[.,]\d{2}$|,-$/.test(written)) return undefined;
  const price = readPrice(written, { language });
  const name = line
    .slice(0, match.index)
    .replace(/(?<![\s.·…_|:–-])[\s.·…_|:–-]+$/u, "")
    .trim();
  if (price === undefined || name.length > MAX_NAME_CHARS * 2) return undefined;
  return { name, price };
}

function toItem(text: string, price: Price): PlainSection["items"][number] {
  const [name = text, ...rest] = text.split(/\s+[|–—]\s+|\s{2,}/);
  const description = rest.join(", ").trim();
  const dietary = DIETS.flatMap(([words, diet]) => (words.test(text) ? [diet] : []));
  return {
    name: name.replace(/\s*\((?:v|vg|ve|gf)\)\s*/gi, " ").trim(),
    ...(description === "" ? {} : { description }),
    price,
    ...(dietary.length === 0 ? {} : { dietary }),
  };
}

/** Returns a line of markdown as plain text. */
function plain(line: string): string {
  return line
    .trim()
    .replace(BULLET, "")
    .replace(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/(\*\*|__|\*|_|`)/g, "")
    .replace(/\\([^\w\s])/g, "$1")
    .replace(/^\|\s*|\s*\|$/g, "")
    .trim();
}
