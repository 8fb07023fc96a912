import type { Route } from "../exchange.ts";
import { replyHtml } from "../reply.ts";
import { renderPage } from "../render.ts";

/** Path, file in pages/, what it is for. */
const PAGES: [path: string, file: string, about: string][] = [
  ["/", "index", "the site's index: links to more than 12 pages, to a disallowed one and to the second origin"],
  ["/articles/", "articles/index", "list of the articles"],
  ["/articles/ferry-timetable", "articles/ferry", "article with figure, quote, list, side bar, share buttons"],
  ["/articles/seagrass", "articles/seagrass", "article with a numbered list"],
  ["/articles/bell-foundry", "articles/bell-foundry", "article with JSON-LD NewsArticle"],
  ["/articles/night-market", "articles/night-market", "short article"],
  ["/docs/", "docs/index", "manual: introduction, with side navigation"],
  ["/docs/install", "docs/install", "manual: shell code blocks"],
  ["/docs/configuration", "docs/configuration", "manual: TOML and a table of keys"],
  ["/docs/api", "docs/api", "manual: Python and JSON code, definition list"],
  ["/forum/leaking-skylight", "forum", "forum thread of five posts with an accepted answer"],
  ["/tables", "tables", "tables: caption, alignment, colspan, rowspan, no header, nested, rich cells"],
  ["/code", "code", "code: languages, a fence inside, highlighter spans, line numbers, whitespace"],
  ["/lists", "lists", "lists: nested, mixed, start values, tick boxes, definitions"],
  ["/images", "images", "pictures: srcset, picture, lazy, data-src, base64, noscript, background, poster, broken"],
  ["/metadata", "metadata", "every kind of metadata, a <base>, broken and whole JSON-LD"],
  ["/contact", "contact", "address, tel:, mailto: and javascript: links"],
  ["/inn/menu", "inn-menu", "an inn's menu: priced dishes in lists and a table, without mark-up"],
  ["/brand", "brand", "a styled page: logo, buttons, an input, a grid"],
  ["/private/ledger", "private-ledger", "a page that robots.txt disallows"],
  ["/noscript", "refusals/noscript", "an empty shell with a noscript message; script fills it"],
];

/** Pages that stand in a file and never change. */
export const reading: Route[] = PAGES.map(([path, file, about]) => ({
  path,
  about,
  answer: (exchange) => replyHtml(exchange, renderPage(exchange, file)),
}));
