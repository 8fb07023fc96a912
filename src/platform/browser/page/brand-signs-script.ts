/**
 * Part of `STYLES_SCRIPT`, whose helpers it uses: reads brand signs beyond the usual elements. Semantic colours are
 * taken from the custom properties of the root and from elements that are named after the meaning.
 */
export const BRAND_SIGNS = `
  const toColor = (value) => {
    const text = value.trim();
    if (/^(inherit|initial|unset|revert|revert-layer|currentcolor|transparent)$/i.test(text)) return "";
    if (CSS.supports("color", text)) return paint(text);
    // Design systems often keep the channels alone, to be put into hsl() or rgb().
    if (/^[\\d.]+(deg)?[ ,]+[\\d.]+%[ ,]+[\\d.]+%$/.test(text)) return paint("hsl(" + text + ")");
    if (/^\\d{1,3}[ ,]+\\d{1,3}[ ,]+\\d{1,3}$/.test(text)) return paint("rgb(" + text + ")");
    return "";
  };
  const tokens = [];
  for (const [name, values] of document.documentElement.computedStyleMap()) {
    if (tokens.length >= 200) break;
    if (!name.startsWith("--") || !/success|positive|warning|caution|error|danger|negative|destructive/i.test(name)) continue;
    const color = toColor(String(values[0] ?? ""));
    if (color !== "") tokens.push({ name, color });
  }
  const STATES = {
    success: "[class*=success i], [class*=positive i]",
    warning: "[class*=warning i], [class*=caution i]",
    error: "[class*=error i], [class*=danger i], [class*=invalid i], [aria-invalid=true]",
  };
  const states = Object.entries(STATES).flatMap(([state, selector]) => visible(selector, 20).map((element) => {
    const { color, background, borderColor, borderWidth } = styleOf(element);
    return { state, colors: [background, ...(parseFloat(borderWidth) > 0 ? [borderColor] : []), color] };
  }));
  const FONT_ICONS = "i[class*=fa-], [class*=material-icons], [class*=material-symbols], i[class*=bi-]";
  const icons = visible("svg, " + FONT_ICONS, 300).flatMap((element) => {
    const { width, height } = element.getBoundingClientRect();
    if (Math.max(width, height) > 64 || Math.min(width, height) < 8) return [];
    const words = element.getAttribute("class") ?? "";
    if (element.localName !== "svg") {
      const isOutline = /fa-(regular|light|thin)|outlined|bi-(?!.*-fill)/.test(words);
      return [{ style: isOutline ? "outline" : "filled", color: rgb(getComputedStyle(element).color) }];
    }
    const shapes = [...element.querySelectorAll("path, circle, rect, line, polyline, polygon, ellipse")].map((shape) => {
      const { fill, stroke } = getComputedStyle(shape);
      const isOutline = fill === "none" && stroke !== "none";
      return { style: isOutline ? "outline" : "filled", color: rgb(isOutline ? stroke : fill) };
    }).filter(({ color }) => color !== "none" && !color.startsWith("url"));
    // A picture in several colours is no icon.
    return shapes.length > 0 && new Set(shapes.map(({ color }) => color)).size === 1 ? [shapes[0]] : [];
  });
  const shown = (document.body?.innerText ?? "").slice(0, 200000);
  const emojis = (shown.match(/\\p{Emoji_Presentation}/gu) ?? []).length;
  const words = (shown.match(/\\S+/g) ?? []).length;
`;
