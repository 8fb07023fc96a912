import type { BrandComponent, Branding } from "../core/branding.ts";
import type { ElementStyle, LogoCandidate, PageStyles } from "../core/page-styles.ts";
import { chromaOf, lightnessOf, toHexColor } from "./css-color.ts";

/** Colours with less chroma are greys, which no brand is told by. */
const MIN_CHROMA = 0.15;
const BASE_UNITS = [8, 6, 5, 4];
const GENERIC = /^(serif|sans-serif|monospace|cursive|fantasy|system-ui|ui-[a-z-]+|-apple-system|BlinkMacSystemFont)$/i;

/** What a page looks like, from what a browser computed for it. What is not seen is left out. */
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

/** Without fields that are undefined, empty texts, lists and objects. */
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
  });
}

/** A root without a background takes the body's, and a page without either is white (CSS Backgrounds 3 § 2.11.2). */
function backgroundOf({ rootBackground, body, scheme }: PageStyles): string {
  const fallback = /^(only )?dark$/.test(scheme) ? "#121212" : "#FFFFFF";
  return toHexColor(body.background) ?? toHexColor(rootBackground) ?? fallback;
}

function schemeOf({ scheme }: PageStyles, background = "#FFFFFF"): "light" | "dark" {
  if (/^(only )?dark$/.test(scheme)) return "dark";
  return lightnessOf(background) < 0.4 ? "dark" : "light";
}

function byFrequency(values: string[]): string[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one).map(([value]) => value);
}

function mostFrequent(values: string[]): string | undefined {
  return byFrequency(values)[0];
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
  const read = (key: "fontSize" | "lineHeight") =>
    withoutGaps({
      h1: shown.h1?.[key],
      h2: shown.h2?.[key],
      h3: shown.h3?.[key],
      body: shown.body[key],
      small: shown.small?.[key],
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
    fontSizes: read("fontSize"),
    lineHeights: read("lineHeight"),
    fontWeights: Object.fromEntries(weights),
  };
}

function spacingOf(styles: PageStyles): Branding["spacing"] {
  const measured = [styles.body, ...Object.values(styles.texts), ...styles.buttons, ...styles.inputs]
    .flatMap(({ padding, margin }) => `${padding} ${margin}`.match(/[\d.]+(?=px)/g) ?? [])
    .map(Number)
    .filter((value) => value >= 4);
  const radii = [...styles.buttons, ...styles.inputs].flatMap(({ radii: [first] }) => first ?? []);
  return withoutGaps({
    baseUnit: baseUnitOf(measured),
    gridGutter: styles.grid === null ? undefined : numberOf(styles.grid.gap),
    borderRadius: mostFrequent(radii),
  });
}

/** The largest usual unit that most distances are multiples of; undefined when there are none or none fits. */
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

/** A name counts most, then standing in the header, then leading home; the larger one of equals. */
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

function px(length: number): string | undefined {
  return length > 0 ? `${length}px` : undefined;
}
