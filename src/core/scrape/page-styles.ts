/** Computed style of one element, in CSS's own computed forms; colours as `rgb()` or `rgba()`, lengths in px. */
export interface ElementStyle {
  color: string;
  background: string;
  borderColor: string;
  borderWidth: string;
  /** Top left, top right, bottom right, bottom left. */
  radii: string[];
  shadow: string;
  fontFamily: string;
  fontSize: string;
  fontWeight: string;
  lineHeight: string;
  padding: string;
  margin: string;
  transitionDuration: string;
  easing: string;
}

export interface LogoCandidate {
  src: string;
  alt: string;
  href: string;
  inHeader: boolean;
  linksHome: boolean;
  /** True when its class, id, name or alternative text contains `logo`. */
  isNamed: boolean;
  area: number;
}

/** Names of semantic colours. */
export type StateName = "success" | "warning" | "error";

/** Computed styles of a page's visible elements, as plain data; `content/branding/to-branding.ts` interprets them. */
export interface PageStyles {
  /** `color-scheme` of the root element. */
  scheme: string;
  siteName: string;
  body: ElementStyle;
  rootBackground: string;
  /** Style of the first visible element by tag: h1, h2, h3, p, small, code. */
  texts: Record<string, ElementStyle>;
  /** Backgrounds, with the area in px² that they cover. */
  backgrounds: { color: string; area: number }[];
  /** Colours of links outside buttons. */
  linkColors: string[];
  buttons: ElementStyle[];
  inputs: ElementStyle[];
  logos: LogoCandidate[];
  favicon: string;
  ogImage: string;
  headerHeight: number;
  footerHeight: number;
  containerWidth: number;
  /** The grid with most columns. */
  grid: { columns: number; gap: string } | null;
  /** Custom properties of the root whose names refer to success, warnings or errors and whose values are colours. */
  tokens: { name: string; color: string }[];
  /** Colours of visible elements named after a state: background, border, text. */
  states: { state: StateName; colors: string[] }[];
  /** Small monochrome images. */
  icons: { style: "outline" | "filled"; color: string }[];
  /** Number of emoji in the visible text. */
  emojis: number;
  words: number;
}
