import { dataFolder } from "../data-folder.ts";
import type { Exchange } from "./exchange.ts";
import { escapeHtml } from "./reply.ts";

const PAGES = dataFolder("test/site/pages");
const sources = new Map<string, string>();

function source(name: string): string {
  const known = sources.get(name);
  if (known !== undefined) return known;
  const text = PAGES.text(`${name}.html`);
  sources.set(name, text);
  return text;
}

/**
 * Fills a page of `pages/`. `{{origin}}` and `{{other}}` are the two origins, `{{> name}}` puts in another page's
 * source (header, footer, side bar), any other `{{name}}` is taken from `fills` as HTML.
 * Throws on a placeholder nobody fills, so that a typo does not end up in a test's expectations.
 */
export function renderPage(exchange: Exchange, name: string, fills: Record<string, string> = {}): string {
  const values: Record<string, string> = { origin: exchange.origin, other: exchange.otherOrigin, ...fills };
  const withParts = source(name).replace(/\{\{> ([\w/-]+)\}\}/g, (_, part: string) => source(part));
  return withParts.replace(/\{\{([\w-]+)\}\}/g, (_, key: string) => {
    const value = values[key];
    if (value === undefined) throw new Error(`pages/${name}.html: nothing fills {{${key}}}`);
    return value;
  });
}

/** A plain page of the site around `main` (HTML), with the usual header and footer. */
export function simplePage(
  exchange: Exchange,
  { title, main, head = "" }: { title: string; main: string; head?: string },
): string {
  return renderPage(exchange, "parts/simple", { title: escapeHtml(title), main, head });
}
