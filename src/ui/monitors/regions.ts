/** A part of a page that a CSS selector selects, with its place in CSS pixels of the page. */
export interface Region {
  selector: string;
  /** The start of its text. */
  text: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Regions of a page, and the size of the page that their places refer to. */
export interface PageRegions {
  width: number;
  height: number;
  regions: Region[];
}

export const MAX_REGIONS = 150;

/** Reads the result of the script. The page may have changed it: anything unexpected is left out. */
export function readRegions(value: unknown): PageRegions | undefined {
  const { width, height, regions } = fieldsOf(value);
  if (!isSize(width) || !isSize(height) || !Array.isArray(regions)) return undefined;
  const read = regions.slice(0, MAX_REGIONS).flatMap((region: unknown): Region[] => {
    const { selector, text, ...box } = fieldsOf(region);
    if (typeof selector !== "string" || typeof text !== "string") return [];
    const [x, y, wide, high] = [box["x"], box["y"], box["width"], box["height"]];
    if (typeof x !== "number" || typeof y !== "number" || !isSize(wide) || !isSize(high)) return [];
    return [{ selector, text, x, y, width: wide, height: high }];
  });
  return { width, height, regions: read };
}

/** Returns the regions at a point, the smallest first. */
export function regionsAt({ regions }: PageRegions, x: number, y: number): Region[] {
  const isIn = (region: Region): boolean =>
    x >= region.x && x < region.x + region.width && y >= region.y && y < region.y + region.height;
  return regions.filter(isIn).toSorted((one, other) => one.width * one.height - other.width * other.height);
}

function isSize(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
