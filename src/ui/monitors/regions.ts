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

/**
 * Runs in the watched page: lists elements that a short and stable selector selects, the outer ones first. The function
 * is sent as text and uses nothing outside of itself.
 */
function collectRegions(maxRegions: number, maxElements: number): PageRegions {
  const root = document.documentElement;
  const unstable = /\d{3,}|[0-9a-f]{8,}|^(?:css|sc|jss)-|__|active|open|hover|visible|hidden/i;
  const seen = new Set<string>();
  const regions: Region[] = [];
  const isStable = (name: string): boolean => name.length < 40 && !unstable.test(name);
  const selectorOf = (element: Element): string | undefined => {
    const tag = element.tagName.toLowerCase();
    if (element.id !== "" && isStable(element.id)) return `#${CSS.escape(element.id)}`;
    const names = [...element.classList].filter(isStable).slice(0, 2);
    if (names.length > 0) return `${tag}${names.map((name) => `.${CSS.escape(name)}`).join("")}`;
    const role = element.getAttribute("role");
    if (role !== null && /^[a-z]+$/.test(role)) return `${tag}[role="${role}"]`;
    if (/^(?:header|footer|nav|aside|main|article|section|form|table|figure|h1|time|ul|ol|dl|p|iframe)$/.test(tag))
      return tag;
    return undefined;
  };
  const elements = [...(document.body?.querySelectorAll("*") ?? [])].slice(0, maxElements);
  for (const element of elements) {
    if (regions.length >= maxRegions) break;
    const box = element.getBoundingClientRect();
    if (box.width < 4 || box.height < 4) continue;
    const selector = selectorOf(element);
    if (selector === undefined || seen.has(selector)) continue;
    seen.add(selector);
    const [x, y] = [Math.round(box.left + scrollX), Math.round(box.top + scrollY)];
    const text = (element.textContent ?? "").replaceAll(/\s+/g, " ").trim().slice(0, 80);
    regions.push({ selector, text, x, y, width: Math.round(box.width), height: Math.round(box.height) });
  }
  return { width: root.scrollWidth, height: Math.max(root.scrollHeight, innerHeight), regions };
}

const MAX_REGIONS = 150;
const MAX_ELEMENTS = 5_000;

/** The script of the action that lists a page's regions. */
export const REGIONS_SCRIPT = `(${collectRegions.toString()})(${MAX_REGIONS}, ${MAX_ELEMENTS})`;

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
