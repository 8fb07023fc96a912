import { expect, test } from "vitest";
import { toBranding } from "../../../src/content/branding.ts";
import { Branding } from "../../../src/core/branding.ts";
import { toHexColor } from "../../../src/content/css-color.ts";
import type { ElementStyle, LogoCandidate, PageStyles } from "../../../src/core/page-styles.ts";

const PLAIN: ElementStyle = {
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

const EMPTY: PageStyles = {
  scheme: "normal",
  siteName: "",
  body: PLAIN,
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
};

const LOGO: LogoCandidate = {
  src: "https://a.example/x.png",
  alt: "",
  href: "",
  inHeader: false,
  linksHome: false,
  isNamed: false,
  area: 100,
};

test.each([
  ["rgb(1, 2, 255)", "#0102FF"],
  ["rgba(0, 0, 0, 0.5)", "#808080"],
  ["rgba(0, 0, 0, 0)", undefined],
  ["oklch(0.5 0.1 20)", undefined],
  ["", undefined],
])("the colour %s is %s", (css, hex) => {
  expect(toHexColor(css)).toBe(hex);
});

test("a bare page is light, black on white, and says nothing that it does not show", () => {
  const branding = toBranding(EMPTY);
  expect(branding.colorScheme).toBe("light");
  expect(branding.colors).toEqual({ background: "#FFFFFF", textPrimary: "#000000" });
  for (const field of ["logo", "brandName", "fonts", "components", "images", "animations", "layout", "spacing"]) {
    expect(branding).not.toHaveProperty(field);
  }
  expect(Branding.safeParse(branding).success).toBe(true);
});

test.each([
  { why: "a dark background", styles: { body: { ...PLAIN, background: "rgb(10, 10, 20)" } }, scheme: "dark" },
  { why: "a root that says so", styles: { scheme: "dark" }, scheme: "dark" },
  { why: "a root that takes both", styles: { scheme: "light dark" }, scheme: "light" },
])("$why makes the page $scheme", ({ styles, scheme }) => {
  expect(toBranding({ ...EMPTY, ...styles }).colorScheme).toBe(scheme);
});

test("the primary colour is that of most filled buttons, and greys are no brand's colours", () => {
  const [red, grey] = ["rgb(200, 0, 0)", "rgb(90, 90, 90)"].map((background) => ({ ...PLAIN, background }));
  const { colors, components } = toBranding({
    ...EMPTY,
    buttons: [grey, grey, red, PLAIN].flatMap((button) => button ?? []),
    backgrounds: [{ color: "rgb(0, 80, 160)", area: 9000 }],
  });
  expect(colors).toMatchObject({ primary: "#C80000", secondary: "#0050A0" });
  expect(components?.buttonPrimary?.background).toBe("#C80000");
  expect(components?.buttonSecondary?.background).toBe("#5A5A5A");
});

test("the logo is what is named so, before what is larger", () => {
  const named = { ...LOGO, src: "https://a.example/logo.png", isNamed: true, inHeader: true };
  const large = { ...LOGO, inHeader: true, area: 90_000 };
  expect(toBranding({ ...EMPTY, logos: [large, named] }).logo).toBe(named.src);
  expect(toBranding({ ...EMPTY, logos: [LOGO] })).not.toHaveProperty("logo");
});

test("the base unit is the largest that most distances are multiples of", () => {
  const buttons = [{ ...PLAIN, padding: "8px 16px", margin: "24px 0px 5px" }];
  expect(toBranding({ ...EMPTY, buttons }).spacing?.baseUnit).toBe(8);
});
