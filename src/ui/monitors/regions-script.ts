import { MAX_REGIONS } from "./regions.ts";
import type { PageRegions, Region } from "./regions.ts";

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

const MAX_ELEMENTS = 5_000;

/** The script of the action that lists a page's regions. */
export const REGIONS_SCRIPT = `(${collectRegions.toString()})(${MAX_REGIONS}, ${MAX_ELEMENTS})`;
