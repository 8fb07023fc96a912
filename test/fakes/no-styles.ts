import type { ElementStyle, PageStyles } from "../../src/core/scrape/page-styles.ts";

/** Black on nothing, without any space around. */
export const PLAIN_STYLE: ElementStyle = {
  color: "rgb(0, 0, 0)",
  background: "rgba(0, 0, 0, 0)",
  borderColor: "rgb(0, 0, 0)",
  borderWidth: "0px",
  radii: ["0px", "0px", "0px", "0px"],
  shadow: "none",
  fontFamily: "serif",
  fontSize: "16px",
  fontWeight: "400",
  lineHeight: "normal",
  padding: "0px",
  margin: "0px",
  transitionDuration: "0s",
  easing: "ease",
};

/** A page that shows nothing but its body. */
export const NO_STYLES: PageStyles = {
  scheme: "normal",
  siteName: "",
  body: PLAIN_STYLE,
  rootBackground: "rgba(0, 0, 0, 0)",
  texts: {},
  backgrounds: [],
  linkColors: [],
  buttons: [],
  inputs: [],
  logos: [],
  favicon: "",
  ogImage: "",
  headerHeight: 0,
  footerHeight: 0,
  containerWidth: 0,
  grid: null,
  tokens: [],
  states: [],
  icons: [],
  emojis: 0,
  words: 0,
};
