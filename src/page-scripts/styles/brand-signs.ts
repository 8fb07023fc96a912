import type { PageStyles } from "../../core/scrape/page-styles.ts";
import { colorOf, toRgb } from "./colors.ts";
import { styleOf, visible } from "./elements.ts";

const MAX_TOKENS = 200;
const MAX_STATES = 20;
const MAX_ICONS = 300;
const MIN_ICON_PX = 8;
const MAX_ICON_PX = 64;
const MAX_TEXT_LENGTH = 200_000;

const SEMANTIC_NAME = /success|positive|warning|caution|error|danger|negative|destructive/i;
const STATES = [
  ["success", "[class*=success i], [class*=positive i]"],
  ["warning", "[class*=warning i], [class*=caution i]"],
  ["error", "[class*=error i], [class*=danger i], [class*=invalid i], [aria-invalid=true]"],
] as const;
const FONT_ICONS = "i[class*=fa-], [class*=material-icons], [class*=material-symbols], i[class*=bi-]";
const OUTLINE_ICON = /fa-(regular|light|thin)|outlined|bi-(?!.*-fill)/;
const SHAPES = "path, circle, rect, line, polyline, polygon, ellipse";

type BrandSigns = Pick<PageStyles, "tokens" | "states" | "icons" | "emojis" | "words">;
type Icon = PageStyles["icons"][number];

/**
 * Reads brand signs beyond the usual elements. Semantic colours are taken from the custom properties of the root and from
 * elements that are named after the meaning.
 */
export function readBrandSigns(): BrandSigns {
  // A frameset has no body.
  const shown = ((document.body as HTMLElement | null)?.innerText ?? "").slice(0, MAX_TEXT_LENGTH);
  return {
    tokens: readTokens(),
    states: STATES.flatMap(([state, selector]) =>
      visible(selector, MAX_STATES).map((element) => ({ state, colors: colorsOf(element) })),
    ),
    icons: visible(`svg, ${FONT_ICONS}`, MAX_ICONS).flatMap(readIcon),
    emojis: shown.match(/\p{Emoji_Presentation}/gu)?.length ?? 0,
    words: shown.match(/\S+/g)?.length ?? 0,
  };
}

function readTokens(): PageStyles["tokens"] {
  const tokens: PageStyles["tokens"] = [];
  for (const [name, values] of document.documentElement.computedStyleMap()) {
    if (tokens.length >= MAX_TOKENS) break;
    if (!name.startsWith("--") || !SEMANTIC_NAME.test(name)) continue;
    const [value = ""] = values;
    const color = colorOf(String(value));
    if (color !== "") tokens.push({ name, color });
  }
  return tokens;
}

function colorsOf(element: Element): string[] {
  const { color, background, borderColor, borderWidth } = styleOf(element);
  return [background, ...(Number.parseFloat(borderWidth) > 0 ? [borderColor] : []), color];
}

function readIcon(element: Element): Icon[] {
  const { width, height } = element.getBoundingClientRect();
  if (Math.max(width, height) > MAX_ICON_PX || Math.min(width, height) < MIN_ICON_PX) return [];
  if (element.localName !== "svg") {
    const isOutline = OUTLINE_ICON.test(element.getAttribute("class") ?? "");
    return [{ style: isOutline ? "outline" : "filled", color: toRgb(getComputedStyle(element).color) }];
  }
  const shapes = [...element.querySelectorAll(SHAPES)]
    .map(toShape)
    .filter(({ color }) => color !== "none" && !color.startsWith("url"));
  // A picture in several colours is no icon.
  return new Set(shapes.map(({ color }) => color)).size === 1 ? shapes.slice(0, 1) : [];
}

function toShape(element: Element): Icon {
  const { fill, stroke } = getComputedStyle(element);
  const isOutline = fill === "none" && stroke !== "none";
  return { style: isOutline ? "outline" : "filled", color: toRgb(isOutline ? stroke : fill) };
}
