/** The price of the product that a page sells, and the blocks that show it beside the product's name. */
import { levelOf, isNearElement } from "../blocks.ts";
import type { ChoiceToComplete } from "./completion.ts";
import type { PageMeasures } from "../features/page-measures.ts";
import { readProduct } from "../../structured-data/products/products.ts";
import { baseUrlOf } from "../../html/resolve-url.ts";
import { readHead } from "../../structured-data/read-structured-data.ts";
import { readCurrency, readNumbers } from "../../structured-data/schema/values.ts";
import type { ElementNode, HtmlTree } from "../../html/tree/tree.ts";

/** Blocks below and above the title, and kept words between them: a price further away belongs to something else. */
const REACH = 12;
const REACH_ABOVE = 4;
const MAX_WORDS_BETWEEN = 60;
/** Characters. Longer texts only mention a price. */
const MAX_PRICE_LENGTH = 60;
/** Without structured data: blocks below the title, words of the price's block, and its least probability. */
const REACH_OF_ONLY = 6;
const MAX_PRICE_SIZE = 12;
const MIN_PROBABILITY = 0.05;
/**
 * Blocks around the price: shops write it once for readers and once more for screen readers, and the old one beside.
 */
const BESIDE = 2;
const OLD_PRICE =
  /(?:^|[\s_-])(?:old|was|compare(?:-at)?|list|regular|original|strike|struck|rrp|msrp|before|crossed)/i;

/** Keeps the price of a page's only product when it is near the title, if one is kept, unless it is kept somewhere already. */
export function keepPrice({ page, probabilities, kept }: ChoiceToComplete): void {
  const { outline, head } = page;
  const title = outline.blocks.findIndex((_, block) => kept[block] === 1 && levelOf(outline, block) === 1);
  if (title === -1) return;
  if (!namesPrice(head)) return keepOnlyPrice({ page, probabilities, kept }, title);
  const language = head.language.toLowerCase();
  const amountsOf = (block: number): number[] => amountsIn(outline.blocks[block]?.text ?? "", language);
  const amountsNearby = nearTitle(page, kept, title).filter(
    (block) => amountsOf(block).length > 0 && !isNearElement(outline, block, isButton),
  );
  if (amountsNearby.length === 0) return;
  const prices = readPrices(page);
  const isPrice = (block: number): boolean => amountsOf(block).some((amount) => prices.has(amount));
  const first = amountsNearby.find(isPrice);
  if (first === undefined || outline.blocks.some((_, block) => kept[block] === 1 && isPrice(block))) return;
  const beside = Array.from({ length: 2 * BESIDE + 1 }, (_, index) => first - BESIDE + index);
  const isReduced = (block: number): boolean => {
    const amounts = amountsOf(block);
    const lowest = Math.min(...amounts);
    return prices.has(lowest) && amounts.some((amount) => amount > lowest);
  };
  const price = beside.find((block) => block >= first && isReduced(block)) ?? first;
  kept[price] = 1;
  if (isReduced(price)) return;
  const amount = Math.max(...amountsOf(price));
  const old = beside.find(
    (block) => (amountsOf(block)[0] ?? -Infinity) > amount && isNearElement(outline, block, isOldPrice),
  );
  if (old !== undefined) kept[old] = 1;
}

/** Keeps the only price below the title of a page whose head names none, when no price is kept. */
function keepOnlyPrice({ page, probabilities, kept }: ChoiceToComplete, title: number): void {
  const { outline, text } = page;
  if (text.prices.some((price, block) => price === 1 && kept[block] === 1)) return;
  const below = Array.from({ length: REACH_OF_ONLY }, (_, index) => title + 1 + index).filter(
    (block) => text.prices[block] === 1 && !isNearElement(outline, block, isButton),
  );
  const [price] = below;
  if (price === undefined || below.length > 1 || text.sizes[price]! > MAX_PRICE_SIZE) return;
  if (probabilities[price]! >= MIN_PROBABILITY) kept[price] = 1;
}

/** Returns the prices of the variants of the page's only product; none when it has no such product. */
function readPrices({ head, url, budget }: PageMeasures): ReadonlySet<number> {
  const product = readProduct(readHead(head, baseUrlOf(head.baseHref, url), budget));
  const amounts = product?.variants.flatMap(({ price }) => (price === undefined ? [] : [price.amount])) ?? [];
  return new Set(amounts.filter((amount) => amount > 0));
}

/** Reports whether the head names a price, so that other pages need not be read. */
function namesPrice({ jsonLd, metas }: HtmlTree["head"]): boolean {
  return (
    jsonLd.some((script) => script.includes("Product") && script.includes("rice")) ||
    metas.some(({ property, name }) => /^(?:product|og):price:amount$/i.test(property ?? name ?? ""))
  );
}

/** Returns the blocks near a title, nearest first, those above it last. */
function nearTitle({ outline, text }: PageMeasures, kept: Uint8Array, title: number): number[] {
  const near: number[] = [];
  let words = 0;
  for (let block = title + 1; block <= title + REACH && block < outline.blocks.length; block++) {
    if (kept[block] === 1) words += text.sizes[block]!;
    if (words > MAX_WORDS_BETWEEN) break;
    near.push(block);
  }
  for (let block = title - 1; block >= title - REACH_ABOVE && block >= 0; block--) near.push(block);
  return near;
}

/** Returns the numbers of a short text that names a currency. */
function amountsIn(text: string, language: string): number[] {
  if (text.length > MAX_PRICE_LENGTH || !/\d/.test(text) || readCurrency(text) === undefined) return [];
  return readNumbers(text, { language });
}

function isButton({ tag }: ElementNode): boolean {
  return tag === "button";
}

function isOldPrice({ tag, attributes }: ElementNode): boolean {
  return tag === "s" || tag === "del" || tag === "strike" || OLD_PRICE.test(attributes["class"] ?? "");
}
