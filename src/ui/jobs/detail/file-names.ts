import { decodeStep } from "../../routes.ts";

const MAX_STEP = 80;

/**
 * Returns a unique Markdown file name for each URL, with folders as in its path. Removes everything that is unsafe in a
 * file system or archive (`..`, drive letters, control characters, reserved characters).
 */
export function fileNames(urls: readonly string[]): string[] {
  const used = new Set<string>();
  /** The next number of each name that was used. */
  const numbers = new Map<string, number>();
  return urls.map((url) => {
    const name = nameFor(url);
    const key = name.toLowerCase();
    let number = numbers.get(key) ?? 1;
    let chosen = name;
    do {
      chosen = number === 1 ? name : `${name}-${number}`;
      number++;
    } while (used.has(chosen.toLowerCase()));
    numbers.set(key, number);
    used.add(chosen.toLowerCase());
    return `${chosen}.md`;
  });
}

function nameFor(url: string): string {
  if (!URL.canParse(url)) return safeStep(url);
  const { hostname, pathname, search } = new URL(url);
  const steps = pathname.split("/").filter((step) => step !== "");
  const last = `${steps.pop() ?? "index"}${search}`;
  return [hostname, ...steps, last].map(safeStep).join("/");
}

function safeStep(step: string): string {
  const text = decodeStep(step)
    .replaceAll(/[\p{Cc}\\/:*?"<>|]+/gu, "-")
    .replaceAll(/^[.\s-]+|[.\s-]+$/g, "");
  return text === "" ? "page" : text.slice(0, MAX_STEP);
}
