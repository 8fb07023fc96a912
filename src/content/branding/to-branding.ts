import type { BrandComponent, Branding } from "../../core/scrape/branding.ts";
import type { ElementStyle, LogoCandidate, PageStyles } from "../../core/scrape/page-styles.ts";
import { stateColors } from "./brand-states.ts";
import { chromaOf, lightnessOf, MIN_CHROMA, toHexColor } from "./css-color.ts";
import { byFrequency, mostFrequent } from "../main-content/frequency.ts";

const BASE_UNITS = [8, 6, 5, 4];
const GENERIC = /^(serif|sans-serif|monospace|cursive|fantasy|system-ui|ui-[a-z-]+|-apple-system|BlinkMacSystemFont)$/i;

/** Derives a page's branding from the styles that a browser computed. Values that were not found are left out. */
export function toBranding(styles: PageStyles): Branding {
  const colors = colorsOf(styles);
  const logo = bestLogo(styles.logos);
  return withoutGaps({
    colorScheme: schemeOf(styles, colors?.background),
    brandName: styles.siteName,
    logo: logo?.src,
    fonts: fontsOf(styles),
    colors,
    typography: typographyOf(styles),
    spacing: spacingOf(styles),
    components: componentsOf(styles),
    icons: iconsOf(styles),
    tone: toneOf(styles),
    images: withoutGaps({
      logo: logo?.src,
      logoHref: logo?.href,
      logoAlt: logo?.alt,
      favicon: styles.favicon,
      ogImage: styles.ogImage,
    }),
    animations: animationsOf(styles),
    layout: withoutGaps({
      grid: withoutGaps({ columns: styles.grid?.columns, maxWidth: px(styles.containerWidth) }),
      headerHeight: px(styles.headerHeight),
      footerHeight: px(styles.footerHeight),
    }),
  });
}

/** Returns an object without fields that are undefined, empty texts, lists and objects. */
function withoutGaps<T extends object>(fields: T): T {
  const kept = Object.entries(fields).filter(([, value]) => {
    if (value === undefined || value === "") return false;
    return typeof value !== "object" || value === null || Object.keys(value).length > 0;
  });
  // Only optional fields are left out by the callers above and below.
  return Object.fromEntries(kept) as T;
}

function colorsOf(styles: PageStyles): Branding["colors"] {
  const background = backgroundOf(styles);
  const filled = styles.buttons.flatMap((button) => toHexColor(button.background) ?? []);
  const areas = styles.backgrounds
    .toSorted((one, other) => other.area - one.area)
    .flatMap(({ color }) => toHexColor(color) ?? []);
  const link = mostFrequent(styles.linkColors.flatMap((color) => toHexColor(color) ?? []));
  const brand = [...new Set([...byFrequency(filled), ...areas, ...(link === undefined ? [] : [link])])].filter(
    (color) => color !== background && chromaOf(color) >= MIN_CHROMA,
  );
  return withoutGaps({
    primary: brand[0],
    secondary: brand[1],
    accent: brand[2],
    background,
    textPrimary: toHexColor(styles.body.color),
    textSecondary: styles.texts["small"] && toHexColor(styles.texts["small"].color),
    link,
    ...stateColors(styles),
  });
}

/**
 * Returns the page's background: a root without one takes the body's, and a page without either is white (CSS
 * Backgrounds 3 § 2.11.2).
 */
function backgroundOf({ rootBackground, body, scheme }: PageStyles): string {
  const fallback = /^(only )?dark$/.test(scheme) ? "#121212" : "#FFFFFF";
  return toHexColor(body.background) ?? toHexColor(rootBackground) ?? fallback;
}

function schemeOf({ scheme }: PageStyles, background = "#FFFFFF"): "light" | "dark" {
  if (/^(only )?dark$/.test(scheme)) return "dark";
  return lightnessOf(background) < 0.4 ? "dark" : "light";
}

function stackOf(style: ElementStyle | undefined): string[] | undefined {
  return style?.fontFamily
    .split(",")
    .map((family) => family.trim().replace(/^["']|["']$/g, ""))
    .filter((family) => family !== "");
}

function fontsOf(styles: PageStyles): Branding["fonts"] {
  const stacks = [styles.body, ...Object.values(styles.texts), ...styles.buttons].map(stackOf);
  const families = stacks.flatMap((stack) => stack?.find((family) => !GENERIC.test(family)) ?? []);
  return [...new Set(families)].map((family) => ({ family }));
}

function typographyOf({ body, texts }: PageStyles): Branding["typography"] {
  const heading = texts["h1"] ?? texts["h2"] ?? texts["h3"];
  const shown = { h1: texts["h1"], h2: texts["h2"], h3: texts["h3"], body: texts["p"] ?? body, small: texts["small"] };
  const fontSizes = withoutGaps({
    h1: shown.h1?.fontSize,
    h2: shown.h2?.fontSize,
    h3: shown.h3?.fontSize,
    body: shown.body.fontSize,
    small: shown.small?.fontSize,
  });
  const weights = Object.entries(shown).flatMap(([name, style]) => (style ? [[name, Number(style.fontWeight)]] : []));
  return {
    fontFamilies: withoutGaps({
      primary: stackOf(body)?.[0],
      heading: stackOf(heading)?.[0],
      code: stackOf(texts["code"])?.[0],
    }),
    fontStacks: withoutGaps({
      primary: stackOf(body),
      heading: stackOf(heading),
      body: stackOf(body),
      paragraph: stackOf(texts["p"]),
    }),
    fontSizes,
    lineHeights: lineHeightsOf({ ...shown, heading }),
    fontWeights: Object.fromEntries(weights),
  };
}

/** Returns line heights as multiples of the font's size; `normal` depends on the browser and is left out. */
function lineHeightsOf(shown: Record<string, ElementStyle | undefined>): Record<string, number> {
  const ratios = Object.entries(shown).flatMap(([name, style]): [string, number][] => {
    const [height, size] = [numberOf(style?.lineHeight ?? ""), numberOf(style?.fontSize ?? "")];
    return height === undefined || size === undefined || size === 0 ? [] : [[name, round(height / size)]];
  });
  return Object.fromEntries(ratios);
}

function spacingOf(styles: PageStyles): Branding["spacing"] {
  const measured = [styles.body, ...Object.values(styles.texts), ...styles.buttons, ...styles.inputs]
    .flatMap(({ padding, margin }) => `${padding} ${margin}`.match(/(?<![\d.])[\d.]+(?=px)/g) ?? [])
    .map(Number)
    .filter((value) => value >= 4);
  const radii = [...styles.buttons, ...styles.inputs].flatMap(({ radii: [first] }) => first ?? []);
  return withoutGaps({
    baseUnit: baseUnitOf(measured),
    padding: distances({
      buttonVertical: styles.buttons[0]?.padding,
      buttonHorizontal: secondOf(styles.buttons[0]?.padding),
      inputVertical: styles.inputs[0]?.padding,
      inputHorizontal: secondOf(styles.inputs[0]?.padding),
    }),
    margins: distances(
      Object.fromEntries(Object.entries(styles.texts).map(([name, { margin }]) => [name, margin] as const)),
    ),
    gridGutter: styles.grid === null ? undefined : numberOf(styles.grid.gap),
    borderRadius: mostFrequent(radii),
  });
}

/** Returns the first length of each shorthand, in px; shorthands without a distance are left out. */
function distances(lengths: Record<string, string | undefined>): Record<string, number> {
  const read = Object.entries(lengths).map(([name, length]) => [name, numberOf(length ?? "") ?? 0] as const);
  return Object.fromEntries(read.filter(([, value]) => value > 0));
}

/** Returns the horizontal length of a shorthand; a single length applies to all sides. */
function secondOf(shorthand: string | undefined): string | undefined {
  const [first, second] = shorthand?.split(" ") ?? [];
  return second ?? first;
}

/** Returns the largest usual unit that most distances are multiples of; undefined when there are none or none fits. */
function baseUnitOf(distances: number[]): number | undefined {
  if (distances.length === 0) return undefined;
  return BASE_UNITS.find((unit) => distances.filter((value) => value % unit === 0).length / distances.length >= 0.6);
}

function componentsOf({ buttons, inputs }: PageStyles): Branding["components"] {
  const filled = buttons.filter(({ background }) => toHexColor(background) !== undefined);
  const primary = filled.find(({ background }) => chromaOf(toHexColor(background) ?? "") >= MIN_CHROMA) ?? filled[0];
  const secondary = primary && buttons.find(({ background }) => background !== primary.background);
  const [input] = inputs;
  return withoutGaps({
    buttonPrimary: primary && toComponent(primary),
    buttonSecondary: secondary && toComponent(secondary),
    input: input && toComponent(input),
  });
}

function toComponent(style: ElementStyle): BrandComponent {
  const [topLeft = "0px", topRight = "0px", bottomRight = "0px", bottomLeft = "0px"] = style.radii;
  return withoutGaps({
    background: toHexColor(style.background),
    textColor: toHexColor(style.color),
    borderColor: numberOf(style.borderWidth) ? toHexColor(style.borderColor) : undefined,
    borderRadius: topLeft,
    borderRadiusCorners: { topLeft, topRight, bottomRight, bottomLeft },
    shadow: style.shadow,
  });
}

function iconsOf({ icons }: PageStyles): Branding["icons"] {
  const style = mostFrequent(icons.map((icon) => icon.style));
  return withoutGaps({ style, primaryColor: mostFrequent(icons.flatMap(({ color }) => toHexColor(color) ?? [])) });
}

/** A text of fewer words has no tone. */
const LEAST_WORDS = 20;

function toneOf({ emojis, words }: PageStyles): Branding["tone"] {
  if (words < LEAST_WORDS) return undefined;
  const share = emojis / words;
  return { emojiUsage: emojis === 0 ? "none" : share < 0.005 ? "minimal" : share < 0.02 ? "moderate" : "heavy" };
}

/**
 * Returns the best logo: a name counts most, then a place in the header, then a link to the home page; the larger one
 * of equals.
 */
function bestLogo(logos: LogoCandidate[]): LogoCandidate | undefined {
  const score = ({ isNamed, inHeader, linksHome }: LogoCandidate) =>
    Number(isNamed) * 3 + Number(inHeader) * 2 + Number(linksHome) * 2;
  return logos
    .filter((logo) => score(logo) >= 2)
    .toSorted((one, other) => score(other) - score(one) || other.area - one.area)[0];
}

function animationsOf({ buttons }: PageStyles): Branding["animations"] {
  const moving = buttons.find(({ transitionDuration }) => !/^0s(, 0s)*$/.test(transitionDuration));
  return moving === undefined ? undefined : { transitionDuration: moving.transitionDuration, easing: moving.easing };
}

function numberOf(length: string): number | undefined {
  const value = Number.parseFloat(length);
  return Number.isNaN(value) ? undefined : value;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function px(length: number): string | undefined {
  return length > 0 ? `${length}px` : undefined;
}
