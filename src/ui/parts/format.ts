/** Formats numbers, times and names for display. */

export function toBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1_000, "kB"] : [bytes / 1_000_000, "MB"];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

export function toDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const tenths = Math.round(ms / 100);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const STEPS = [
  [60_000, 1_000, "second"],
  [3_600_000, 60_000, "minute"],
  [86_400_000, 3_600_000, "hour"],
] as const;
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** Returns "2 minutes ago", or the date if it is more than a day away. */
export function toAgo(when: string | number, nowMs = Date.now()): string {
  const atMs = typeof when === "number" ? when : Date.parse(when);
  if (Number.isNaN(atMs)) return "";
  const away = Math.abs(nowMs - atMs);
  const step = STEPS.find(([below, unitMs]) => Math.round(away / unitMs) * unitMs < below);
  if (step === undefined) return toDateTime(atMs);
  return relative.format(Math.round((atMs - nowMs) / step[1]), step[2]);
}

export function toDateTime(when: string | number): string {
  return new Date(when).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/** Returns the time of day to the second, by which events of the same minute differ. */
export function toClock(when: string | number): string {
  return new Date(when).toLocaleTimeString("en-GB");
}

export function toCount(count: number): string {
  return count.toLocaleString("en");
}

/** Returns a name as words: `onlyMainContent` as "Only main content". */
export function toWords(name: string): string {
  const known = KNOWN_WORDS[name];
  if (known !== undefined) return known;
  const spaced = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    // Treats `URLs` as one word.
    .replaceAll(/([A-Z]+)([A-Z](?!s(?![a-z]))[a-z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ");
  const words = spaced.split(" ").map((word) => (/^[A-Z]{2,}s?$/.test(word) ? word : word.toLowerCase()));
  const text = words
    .join(" ")
    .replaceAll(
      /\b(url|html|pdf|json|tls|id|ttl|css|pii)(s?)\b/g,
      (_, word: string, plural: string) => `${word.toUpperCase()}${plural}`,
    );
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const KNOWN_WORDS: Record<string, string | undefined> = {
  url: "URL",
  urls: "URLs",
  markdown: "Markdown",
  html: "HTML",
  rawHtml: "Raw HTML",
  rawBase64: "Raw Base64",
  json: "JSON",
  tbs: "Time range (tbs)",
};
