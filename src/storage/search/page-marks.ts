import { hash53 } from "../../core/text/hash.ts";
import { similarUrlKey, tidyUrl } from "../../core/url/url-key.ts";

const hex = (text: string): string => hash53(text).toString(16);

/** Returns the marker of a page's URL, equal for all its spellings. */
export function urlMark(url: string): string {
  return `u${hex(similarUrlKey(tidyUrl(new URL(url), { ignoreQueryParameters: false })))}`;
}

/** Returns the marker of a host and its subdomains. */
export function siteMark(host: string): string {
  return `s${hex(host)}`;
}

/** Returns the markers of a page's host and its parent domains: `a.example.com` is on `example.com`, and on `com`. */
export function siteMarks(url: string): string[] {
  const { hostname, host } = new URL(url);
  const bare = (name: string): string => (name.startsWith("www.") ? name.slice(4) : name);
  const labels = bare(hostname).split(".");
  const isAddress = /^[\d.]+$|^\[/.test(hostname);
  const above = isAddress ? [] : labels.slice(1).map((_, index) => labels.slice(index + 1).join("."));
  return [...new Set([bare(host), bare(hostname), hostname, ...above])].map(siteMark);
}

/** Returns the marker of a language code's primary part: only letters and digits, up to the hyphen. */
export const languageMark = (language: string): string => `l${/^[a-z0-9]*/.exec(language.toLowerCase())?.[0] ?? ""}`;
export const fileTypeMark = (fileType: string): string => `f${fileType.replace(/[^a-z0-9]/g, "")}`;

/** Returns the markers of a day, its month and its year. */
export function dateMarks(ms: number): string[] {
  const day = new Date(ms).toISOString().slice(0, 10).replaceAll("-", "");
  return [`d${day.slice(0, 4)}`, `d${day.slice(0, 6)}`, `d${day}`];
}

const DAY_MS = 86_400_000;

/** Returns markers that cover a range of days: whole years and months where possible. At most some 80. */
export function rangeMarks(fromMs: number, toMs: number): string[] {
  const marks: string[] = [];
  let ms = Math.floor(fromMs / DAY_MS) * DAY_MS;
  while (ms <= toMs) {
    const date = new Date(ms);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    const [yearMark = "", monthMark = "", dayMark = ""] = dateMarks(ms);
    const isFirst = date.getUTCDate() === 1;
    const nextMonthMs = Date.UTC(year, month + 1, 1);
    const nextYearMs = Date.UTC(year + 1, 0, 1);
    const wholeYear = isFirst && month === 0 && nextYearMs - 1 <= toMs;
    const wholeMonth = isFirst && nextMonthMs - 1 <= toMs;
    marks.push(wholeYear ? yearMark : wholeMonth ? monthMark : dayMark);
    ms = wholeYear ? nextYearMs : wholeMonth ? nextMonthMs : ms + DAY_MS;
  }
  return marks;
}
