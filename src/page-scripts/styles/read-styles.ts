import type { ElementStyle, PageStyles } from "../../core/scrape/page-styles.ts";
import { readBrandSigns } from "./brand-signs.ts";
import { toRgb } from "./colors.ts";
import { absolute, styleOf, visible } from "./elements.ts";
import { readLogos } from "./logos.ts";

const MAX_ELEMENTS = 4_000;
const TEXT_TAGS = ["h1", "h2", "h3", "p", "small", "code"];
const BUTTONS = "button, [role=button], input[type=submit], input[type=button], a[class*=btn i], a[class*=button i]";
const INPUTS =
  "input:not([type=submit], [type=button], [type=checkbox], [type=radio], [type=hidden]), textarea, select";

export function readStyles(): PageStyles {
  const root = getComputedStyle(document.documentElement);
  // A frameset has no body.
  const body = document.body as HTMLElement | null;
  return {
    scheme: root.colorScheme,
    siteName: metaOf("og:site_name") || metaOf("application-name"),
    body: styleOf(body ?? document.documentElement),
    rootBackground: toRgb(root.backgroundColor),
    texts: readTexts(),
    ...readAreas(),
    linkColors: visible("a[href]", 300)
      .filter((link) => !link.matches(BUTTONS))
      .map((link) => toRgb(getComputedStyle(link).color)),
    buttons: visible(BUTTONS, 60).map(styleOf),
    inputs: visible(INPUTS, 20).map(styleOf),
    logos: readLogos(),
    favicon: absolute(document.querySelector('link[rel~="icon" i]')?.getAttribute("href")),
    ogImage: absolute(metaOf("og:image")),
    headerHeight: heightOf("header, [role=banner]"),
    footerHeight: heightOf("footer, [role=contentinfo]"),
    containerWidth: readContainerWidth(),
    ...readBrandSigns(),
  };
}

function metaOf(name: string): string {
  const selector = `meta[property="${name}"], meta[name="${name}"]`;
  return document.querySelector<HTMLMetaElement>(selector)?.content ?? "";
}

function readTexts(): Record<string, ElementStyle> {
  const texts: Record<string, ElementStyle> = {};
  for (const tag of TEXT_TAGS) {
    const [first] = visible(tag, 1);
    if (first !== undefined) texts[tag] = styleOf(first);
  }
  return texts;
}

/** Reads the backgrounds with the areas that they cover, and the grid with most columns. */
function readAreas(): Pick<PageStyles, "backgrounds" | "grid"> {
  const areas = new Map<string, number>();
  let grid: PageStyles["grid"] = null;
  for (const element of visible("body *", MAX_ELEMENTS)) {
    const { backgroundColor, display, gridTemplateColumns, columnGap } = getComputedStyle(element);
    const { width, height } = element.getBoundingClientRect();
    const color = toRgb(backgroundColor);
    areas.set(color, (areas.get(color) ?? 0) + Math.round(width * height));
    if (!display.endsWith("grid")) continue;
    const columns = gridTemplateColumns === "none" ? 1 : gridTemplateColumns.split(" ").length;
    if (grid === null || columns > grid.columns) grid = { columns, gap: columnGap };
  }
  return { backgrounds: [...areas].map(([color, area]) => ({ color, area })), grid };
}

function heightOf(selector: string): number {
  return Math.round(visible(selector, 1)[0]?.getBoundingClientRect().height ?? 0);
}

/** Returns the largest maximum width of a container; 0 when none has one in px. */
function readContainerWidth(): number {
  const widths = visible("main, [class*=container i], [class*=wrapper i]", 20)
    .map((element) => getComputedStyle(element).maxWidth)
    .filter((width) => /^[\d.]+px$/.test(width))
    .map(Number.parseFloat);
  return Math.max(0, ...widths);
}
