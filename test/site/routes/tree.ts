import type { Exchange, Route } from "../exchange.ts";
import { redirect, replyHtml } from "../reply.ts";
import { renderPage, simplePage } from "../render.ts";

const CHILDREN = 6;
const CROSS_LINKS = 4;

const PLACES = [
  "the outer mole",
  "the slipway",
  "the net loft",
  "the chapel bend",
  "the fish hall",
  "the east quay",
  "Signal Hill",
  "the ferry berth",
  "the oyster beds",
  "the lock",
];
const DEEDS = [
  "mended a rope",
  "counted the gulls",
  "lit the lamp early",
  "lost an oar and found it again",
  "painted the door blue",
  "moved the buoy",
  "wrote down the barometer",
  "waited for the ferry",
];
const ENDINGS = [
  "and nobody remarked on it",
  "before the tide turned",
  "as the rule book asks",
  "for the third time that week",
  "with the whole crew looking on",
  "in spite of the rain",
];

/** A tree of log pages: page N links to its children, its parent and a few pages elsewhere. */
export const tree: Route[] = [
  { path: "/tree", about: "301 to /tree/", answer: (exchange) => redirect(exchange, "/tree/", 301) },
  { path: "/tree/0", about: "301 to /tree/", answer: (exchange) => redirect(exchange, "/tree/", 301) },
  {
    path: "/tree/",
    about: "root of a generated tree of up to 2,000 pages (option treePages)",
    answer: (exchange) => treePage(exchange, 0),
  },
  {
    path: "/tree/:number",
    about: "page N of the tree, 1 to 1,999: children, parent and cross links, some twice or with a #fragment",
    answer: (exchange) => treePage(exchange, Number(exchange.params.number)),
  },
];

/** Paths of all pages of a tree of that size. */
export function treePaths(count: number): string[] {
  return Array.from({ length: count }, (_, number) => treePath(number));
}

function treePath(number: number): string {
  return number === 0 ? "/tree/" : `/tree/${number}`;
}

function treePage(exchange: Exchange, number: number): void {
  const total = exchange.settings.treePages;
  if (!Number.isInteger(number) || number < 0 || number >= total)
    return replyHtml(exchange, renderPage(exchange, "refusals/soft-404"), 404);
  const children = Array.from({ length: CHILDREN }, (_, index) => number * CHILDREN + index + 1).filter(
    (child) => child < total,
  );
  const cross = Array.from({ length: CROSS_LINKS }, (_, index) => scatter(number * CROSS_LINKS + index) % total);
  const parent = number === 0 ? 0 : Math.floor((number - 1) / CHILDREN);
  const main = [
    `<h1>Log of the harbour, page ${number}</h1>`,
    ...Array.from({ length: 3 + (number % 4) }, (_, index) => `<p>${paragraph(number * 7 + index)}</p>`),
    `<h2>Further pages</h2>\n<ul>\n${children.map((child) => item(child)).join("\n")}\n</ul>`,
    `<h2>See also</h2>\n<ul>\n${cross.map((other, index) => item(other, index === 0 ? "#note" : "")).join("\n")}\n</ul>`,
    `<p id="note"><a href="${treePath(parent)}">Up to page ${parent}</a></p>`,
  ];
  replyHtml(exchange, simplePage(exchange, { title: `Log of the harbour, page ${number}`, main: main.join("\n") }));
}

function item(number: number, fragment = ""): string {
  return `<li><a href="${treePath(number)}${fragment}">Page ${number}</a></li>`;
}

function paragraph(seed: number): string {
  return Array.from({ length: 4 }, (_, index) => sentence(scatter(seed * 4 + index))).join(" ");
}

function sentence(seed: number): string {
  const place = PLACES[seed % PLACES.length];
  const deed = DEEDS[(seed >>> 5) % DEEDS.length];
  const ending = ENDINGS[(seed >>> 9) % ENDINGS.length];
  return `At ${place} the keeper ${deed}, ${ending}.`;
}

/** Spreads consecutive numbers over 31 bits, the same way each time (the finaliser of MurmurHash3). */
function scatter(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 1;
}
