let pen: CanvasRenderingContext2D | null | undefined;

/** Returns a CSS colour of any form as `rgba()`, by painting it. */
export function paint(color: string): string {
  pen ??= onePixel();
  if (pen === null) return color;
  pen.clearRect(0, 0, 1, 1);
  pen.fillStyle = color;
  pen.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha = 0] = pen.getImageData(0, 0, 1, 1).data;
  return `rgba(${[red, green, blue, alpha / 255].join(", ")})`;
}

function onePixel(): CanvasRenderingContext2D | null {
  const canvas = document.createElement("canvas");
  canvas.width = 1;
  canvas.height = 1;
  return canvas.getContext("2d", { willReadFrequently: true });
}

/** Returns a computed colour as `rgb()` or `rgba()`; `none` and references stay as they are. */
export function toRgb(color: string): string {
  return color.startsWith("rgb") || color === "none" || color.startsWith("url") ? color : paint(color);
}

/** Returns the colour of a custom property's value, as `toRgb` does; empty when it is none. */
export function colorOf(value: string): string {
  const text = value.trim();
  if (/^(inherit|initial|unset|revert|revert-layer|currentcolor|transparent)$/i.test(text)) return "";
  if (CSS.supports("color", text)) return paint(text);
  // Design systems often keep the channels alone, to be put into hsl() or rgb().
  if (/^[\d.]+(deg)?[ ,]+[\d.]+%[ ,]+[\d.]+%$/.test(text)) return paint(`hsl(${text})`);
  if (/^\d{1,3}[ ,]+\d{1,3}[ ,]+\d{1,3}$/.test(text)) return paint(`rgb(${text})`);
  return "";
}
