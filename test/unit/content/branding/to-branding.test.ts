import { expect, test } from "vitest";
import { toBranding } from "../../../../src/content/branding/to-branding.ts";
import { Branding } from "../../../../src/core/scrape/branding.ts";
import { toHexColor } from "../../../../src/content/branding/css-color.ts";
import type { LogoCandidate } from "../../../../src/core/scrape/page-styles.ts";
import { NO_STYLES, PLAIN_STYLE } from "../../../fakes/no-styles.ts";

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
  const branding = toBranding(NO_STYLES);
  expect(branding.colorScheme).toBe("light");
  expect(branding.colors).toEqual({ background: "#FFFFFF", textPrimary: "#000000" });
  for (const field of [
    "logo",
    "brandName",
    "fonts",
    "components",
    "images",
    "animations",
    "layout",
    "spacing",
    "icons",
    "tone",
  ]) {
    expect(branding).not.toHaveProperty(field);
  }
  expect(Branding.safeParse(branding).success).toBe(true);
});

test.each([
  { why: "a dark background", styles: { body: { ...PLAIN_STYLE, background: "rgb(10, 10, 20)" } }, scheme: "dark" },
  { why: "a root that says so", styles: { scheme: "dark" }, scheme: "dark" },
  { why: "a root that takes both", styles: { scheme: "light dark" }, scheme: "light" },
])("$why makes the page $scheme", ({ styles, scheme }) => {
  expect(toBranding({ ...NO_STYLES, ...styles }).colorScheme).toBe(scheme);
});

test("the primary colour is that of most filled buttons, and greys are no brand's colours", () => {
  const [red, grey] = ["rgb(200, 0, 0)", "rgb(90, 90, 90)"].map((background) => ({ ...PLAIN_STYLE, background }));
  const { colors, components } = toBranding({
    ...NO_STYLES,
    buttons: [grey, grey, red, PLAIN_STYLE].flatMap((button) => button ?? []),
    backgrounds: [{ color: "rgb(0, 80, 160)", area: 9000 }],
  });
  expect(colors).toMatchObject({ primary: "#C80000", secondary: "#0050A0" });
  expect(components?.buttonPrimary?.background).toBe("#C80000");
  expect(components?.buttonSecondary?.background).toBe("#5A5A5A");
});

test("the logo is what is named so, before what is larger", () => {
  const named = { ...LOGO, src: "https://a.example/logo.png", isNamed: true, inHeader: true };
  const large = { ...LOGO, inHeader: true, area: 90_000 };
  expect(toBranding({ ...NO_STYLES, logos: [large, named] }).logo).toBe(named.src);
  expect(toBranding({ ...NO_STYLES, logos: [LOGO] })).not.toHaveProperty("logo");
});

test("the base unit is the largest that most distances are multiples of", () => {
  const buttons = [{ ...PLAIN_STYLE, padding: "8px 16px", margin: "24px 0px 5px" }];
  expect(toBranding({ ...NO_STYLES, buttons }).spacing?.baseUnit).toBe(8);
});

test("colours with a meaning are those that the page names so, before those that it shows", () => {
  const tokens = [
    { name: "--success-foreground", color: "rgb(255, 255, 255)" },
    { name: "--color-success", color: "rgb(0, 128, 0)" },
    { name: "--color-success-100", color: "rgb(220, 255, 220)" },
    { name: "--on-error", color: "rgb(255, 255, 255)" },
  ];
  const states = [
    { state: "success" as const, colors: ["rgb(30, 200, 30)"] },
    { state: "error" as const, colors: ["rgba(0, 0, 0, 0)", "rgb(255, 230, 230)", "rgb(180, 0, 20)"] },
  ];
  const { colors } = toBranding({ ...NO_STYLES, tokens, states });
  expect(colors).toMatchObject({ success: "#008000", error: "#B40014" });
  expect(colors).not.toHaveProperty("warning");
});

test.each([
  { why: "blue", color: "rgb(0, 0, 200)" },
  { why: "grey", color: "rgb(90, 90, 90)" },
  { why: "transparent", color: "rgba(0, 0, 0, 0)" },
])("an element that is named after a warning and is $why tells no colour of warnings", ({ color }) => {
  const states = [{ state: "warning" as const, colors: [color] }];
  expect(toBranding({ ...NO_STYLES, states }).colors).not.toHaveProperty("warning");
});

test("icons have the style and the colour of most of them", () => {
  const [line, full] = [
    { style: "outline" as const, color: "rgb(1, 2, 3)" },
    { style: "filled" as const, color: "rgb(9, 9, 9)" },
  ];
  expect(toBranding({ ...NO_STYLES, icons: [full, line, line] }).icons).toEqual({
    style: "outline",
    primaryColor: "#010203",
  });
});

test.each([
  { emojis: 0, words: 400, usage: "none" },
  { emojis: 1, words: 400, usage: "minimal" },
  { emojis: 4, words: 400, usage: "moderate" },
  { emojis: 40, words: 400, usage: "heavy" },
  { emojis: 1, words: 5, usage: undefined },
])("$emojis emoji among $words words are $usage", ({ emojis, words, usage }) => {
  expect(toBranding({ ...NO_STYLES, emojis, words }).tone?.emojiUsage).toBe(usage);
});

test("lengths of lines are told as multiples of the font's size, and distances in px", () => {
  const h1 = { ...PLAIN_STYLE, fontSize: "40px", lineHeight: "48px", margin: "16px 0px" };
  const buttons = [{ ...PLAIN_STYLE, padding: "8px 12px" }];
  const { typography, spacing } = toBranding({ ...NO_STYLES, texts: { h1 }, buttons });
  expect(typography?.lineHeights).toEqual({ h1: 1.2, heading: 1.2 });
  expect(spacing).toMatchObject({ padding: { buttonVertical: 8, buttonHorizontal: 12 }, margins: { h1: 16 } });
});
