import { BRAND_SIGNS } from "./brand-signs-script.ts";

/** Runs inside the page, as text for the reason given in `page-scripts.ts`. Returns a `PageStyles` (core). */
export const STYLES_SCRIPT = `(() => {
  const MAX_ELEMENTS = 4000;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const paint = (color) => {
    if (!pen) return color;
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = color;
    pen.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data;
    return "rgba(" + [red, green, blue, alpha / 255].join(", ") + ")";
  };
  const rgb = (color) => color.startsWith("rgb") || color === "none" || color.startsWith("url") ? color : paint(color);
  const isVisible = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && getComputedStyle(element).visibility === "visible";
  };
  const visible = (selector, limit) => {
    const found = [];
    for (const element of document.querySelectorAll(selector)) {
      if (found.length >= limit) break;
      if (isVisible(element)) found.push(element);
    }
    return found;
  };
  const styleOf = (element) => {
    const style = getComputedStyle(element);
    return {
      color: rgb(style.color),
      background: rgb(style.backgroundColor),
      borderColor: rgb(style.borderTopColor),
      borderWidth: style.borderTopWidth,
      radii: [
        style.borderTopLeftRadius, style.borderTopRightRadius,
        style.borderBottomRightRadius, style.borderBottomLeftRadius,
      ],
      shadow: style.boxShadow,
      fontFamily: style.fontFamily,
      fontSize: style.fontSize,
      fontWeight: style.fontWeight,
      lineHeight: style.lineHeight,
      padding: style.padding,
      margin: style.margin,
      transitionDuration: style.transitionDuration,
      easing: style.transitionTimingFunction,
    };
  };
  const BUTTONS = "button, [role=button], input[type=submit], input[type=button], a[class*=btn i], a[class*=button i]";
  const INPUTS = "input:not([type=submit], [type=button], [type=checkbox], [type=radio], [type=hidden]), textarea, select";
  const meta = (name) => document.querySelector('meta[property="' + name + '"], meta[name="' + name + '"]')?.content ?? "";
  const absolute = (address) => {
    try { return address ? new URL(address, document.baseURI).href : ""; } catch { return ""; }
  };
  const heightOf = (selector) => Math.round(visible(selector, 1)[0]?.getBoundingClientRect().height ?? 0);
  const texts = {};
  for (const tag of ["h1", "h2", "h3", "p", "small", "code"]) {
    const [first] = visible(tag, 1);
    if (first) texts[tag] = styleOf(first);
  }
  const areas = new Map();
  let grid = null;
  for (const element of visible("body *", MAX_ELEMENTS)) {
    const { backgroundColor, display, gridTemplateColumns, columnGap } = getComputedStyle(element);
    const { width, height } = element.getBoundingClientRect();
    const color = rgb(backgroundColor);
    areas.set(color, (areas.get(color) ?? 0) + Math.round(width * height));
    if (!display.endsWith("grid")) continue;
    const columns = gridTemplateColumns === "none" ? 1 : gridTemplateColumns.split(" ").length;
    if (grid === null || columns > grid.columns) grid = { columns, gap: columnGap };
  }
  const logos = visible("img, header svg, [class*=logo i] svg", 300).map((element) => {
    const link = element.closest("a[href]");
    const near = [element, link, element.parentElement].filter(Boolean);
    const words = near.map((one) => [one.id, one.getAttribute("class"), one.getAttribute("aria-label")].join(" "));
    const alt = element.getAttribute("alt") ?? element.getAttribute("aria-label") ?? link?.getAttribute("aria-label") ?? "";
    const { width, height } = element.getBoundingClientRect();
    const href = absolute(link?.getAttribute("href"));
    const markup = element.localName === "svg" ? new XMLSerializer().serializeToString(element) : "";
    const src = markup ? "data:image/svg+xml," + encodeURIComponent(markup) : absolute(element.currentSrc || element.src);
    return {
      src: src.length > 100000 ? "" : src, alt, href,
      inHeader: element.closest("header, nav, [role=banner]") !== null,
      linksHome: href !== "" && new URL(href).origin === location.origin && new URL(href).pathname === "/",
      isNamed: /logo|brand/i.test(words.join(" ") + " " + alt + " " + (markup ? "" : src.split("/").pop())),
      area: Math.round(width * height),
    };
  });
  const widths = visible("main, [class*=container i], [class*=wrapper i]", 20)
    .map((element) => getComputedStyle(element).maxWidth).filter((width) => /^[\\d.]+px$/.test(width)).map(parseFloat);
  const root = getComputedStyle(document.documentElement);
  ${BRAND_SIGNS}
  return {
    scheme: root.colorScheme,
    siteName: meta("og:site_name") || meta("application-name"),
    body: styleOf(document.body ?? document.documentElement),
    rootBackground: rgb(root.backgroundColor),
    texts,
    backgrounds: [...areas].map(([color, area]) => ({ color, area })),
    linkColors: visible("a[href]", 300).filter((link) => !link.matches(BUTTONS)).map((link) => rgb(getComputedStyle(link).color)),
    buttons: visible(BUTTONS, 60).map(styleOf),
    inputs: visible(INPUTS, 20).map(styleOf),
    logos: logos.filter((logo) => logo.src !== ""),
    favicon: absolute(document.querySelector('link[rel~="icon" i]')?.getAttribute("href")),
    ogImage: absolute(meta("og:image")),
    headerHeight: heightOf("header, [role=banner]"),
    footerHeight: heightOf("footer, [role=contentinfo]"),
    containerWidth: widths.length === 0 ? 0 : Math.max(...widths),
    grid,
    tokens,
    states,
    icons,
    emojis,
    words,
  };
})()`;
