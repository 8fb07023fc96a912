/** Colours with a lower alpha are treated as transparent. */
const MIN_ALPHA = 0.05;

/** Colours with less chroma are greys, which carry no information. */
export const MIN_CHROMA = 0.15;

type Rgb = [red: number, green: number, blue: number];

/**
 * Returns a computed `rgb()` or `rgba()` (CSS Color 4 § 15) as #RRGGBB, laid over white where it is not opaque;
 * undefined for transparent colours and other forms.
 */
export function toHexColor(css: string): string | undefined {
  const rgb = readRgb(css);
  if (rgb === undefined) return undefined;
  return `#${rgb.map((value) => value.toString(16).padStart(2, "0")).join("")}`.toUpperCase();
}

/** Returns the perceived lightness from 0 to 1 by relative luminance's weights (ITU-R BT.709). */
export function lightnessOf(hex: string): number {
  const [red = 0, green = 0, blue = 0] = channels(hex);
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}

/** Returns the distance between the strongest and the weakest channel from 0 to 1: grey has none. */
export function chromaOf(hex: string): number {
  const values = channels(hex);
  return (Math.max(...values) - Math.min(...values)) / 255;
}

/** Returns the angle on the colour wheel in degrees: red is 0, green 120, blue 240 (CSS Color 4 § 7). */
export function hueOf(hex: string): number {
  const [red = 0, green = 0, blue = 0] = channels(hex);
  const max = Math.max(red, green, blue);
  const spread = max - Math.min(red, green, blue);
  if (spread === 0) return 0;
  if (max === red) return (60 * ((green - blue) / spread) + 360) % 360;
  return max === green ? 60 * ((blue - red) / spread) + 120 : 60 * ((red - green) / spread) + 240;
}

function readRgb(css: string): Rgb | undefined {
  const parts = /^rgba?\(([^)]*)\)$/
    .exec(css.trim())?.[1]
    ?.match(/[\d.]+/g)
    ?.map(Number);
  if (parts === undefined || parts.length < 3 || parts.some(Number.isNaN)) return undefined;
  const [red = 0, green = 0, blue = 0, alpha = 1] = parts;
  if (alpha < MIN_ALPHA) return undefined;
  const over = (value: number) => Math.min(255, Math.round(value * alpha + 255 * (1 - alpha)));
  return [over(red), over(green), over(blue)];
}

function channels(hex: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));
}
