import type { Exchange, Route } from "../exchange.ts";
import { pause, redirect, replyHtml } from "../reply.ts";
import { renderPage, simplePage } from "../render.ts";

export const MAX_MAZE_PAGES = 2_000;
const CHILDREN = 6;
const SLOW_MS = 300;
/** Time of a month: two more of them are found in it, so a page that is loaded again does not come after all of them. */
const MONTH_MS = 150;
const FACETS = ["colour", "size", "maker", "year"];
const CHOICES = 3;

/** Of a hundred pages, five are slow, two fail at first, and one is reached by a chain of redirects. */
const isSlow = (number: number) => number % 20 === 7;
const isFlaky = (number: number) => number % 50 === 13;
const isMoved = (number: number) => number % 100 === 29;
const leadsToLoop = (number: number) => number % 200 === 41;

/** A site that a crawler gets lost in: up to 2,000 pages with faults, and paths between them that never end. */
export const maze: Route[] = [
  {
    path: "/maze/",
    about:
      "root of up to 2,000 pages (option mazePages): 5 % slow, 2 % 500 at first, some moved; loops, a calendar, session ids, facets",
    answer: (exchange) => mazePage(exchange, 0),
  },
  {
    path: "/maze/page/:number",
    about: "page N of the maze, from 1",
    answer: (exchange) => mazePage(exchange, Number(exchange.params.number)),
  },
  {
    path: "/maze/moved/:number/:hop",
    about: "a hop of a chain of redirects to page N",
    answer(exchange) {
      const { number, hop } = exchange.params;
      if (hop === "3") return showPage(exchange, Number(number));
      redirect(exchange, `/maze/moved/${number}/${Number(hop) + 1}`, 302);
    },
  },
  {
    path: "/maze/loop/:number",
    about: "302 to itself, by way of its other half",
    answer: (exchange) => redirect(exchange, `/maze/loop/${exchange.params.number === "1" ? 2 : 1}`, 302),
  },
  {
    path: "/maze/calendar/:year/:month",
    about: "a month that links to the one before and the one after, for ever",
    answer: calendar,
  },
  { path: "/maze/terms", about: "one page under a new ?sid= each time it is linked to", answer: terms },
  { path: "/maze/list", about: "a list that narrows by ?colour=&size=&maker=&year=, in any order", answer: list },
];

/** Every page of the maze that is there, as it is linked to. */
export function mazePaths(pages: number): string[] {
  return Array.from({ length: pages }, (_, number) => pathOf(number));
}

function pathOf(number: number): string {
  return number === 0 ? "/maze/" : `/maze/page/${number}`;
}

async function mazePage(exchange: Exchange, number: number): Promise<void> {
  if (!Number.isInteger(number) || number < 0 || number >= exchange.settings.mazePages)
    return replyHtml(exchange, renderPage(exchange, "refusals/soft-404"), 404);
  if (isMoved(number)) return redirect(exchange, `/maze/moved/${number}/1`, 301);
  if (isFlaky(number) && exchange.traffic.attempt(`maze ${number}`) === 1)
    return replyHtml(exchange, renderPage(exchange, "refusals/server-error"), 500);
  if (isSlow(number) && !(await pause(exchange, SLOW_MS))) return;
  showPage(exchange, number);
}

function showPage(exchange: Exchange, number: number): void {
  const children = Array.from({ length: CHILDREN }, (_, index) => number * CHILDREN + index + 1);
  const links = [
    ...children.filter((child) => child < exchange.settings.mazePages).map(pathOf),
    pathOf(Math.floor(Math.max(0, number - 1) / CHILDREN)),
    `/maze/terms?sid=${crypto.randomUUID()}`,
    ...(number % 97 === 0 ? ["/maze/calendar/2026/11"] : []),
    ...(number % 89 === 0 ? ["/maze/list"] : []),
    ...(leadsToLoop(number) ? ["/maze/loop/1", "/maze/loop/2"] : []),
  ];
  show(exchange, `Room ${number}`, `<p>Room ${number} of the maze has a lamp and ${links.length} doors.</p>`, links);
}

async function calendar(exchange: Exchange): Promise<void> {
  if (!(await pause(exchange, MONTH_MS))) return;
  const { year, month } = exchange.params;
  const months = Number(year) * 12 + Number(month) - 1;
  const links = [months - 1, months + 1].map((at) => `/maze/calendar/${Math.floor(at / 12)}/${(at % 12) + 1}`);
  show(exchange, `Calendar ${month}/${year}`, "<p>Nothing happens this month.</p>", links);
}

function terms(exchange: Exchange): void {
  show(exchange, "Terms of the maze", "<p>Whoever enters finds the way out alone.</p>", [
    `/maze/terms?sid=${crypto.randomUUID()}`,
  ]);
}

function list(exchange: Exchange): void {
  const chosen = exchange.url.searchParams;
  const links = FACETS.filter((facet) => !chosen.has(facet)).flatMap((facet) =>
    Array.from({ length: CHOICES }, (_, choice) => {
      const narrower = new URLSearchParams(chosen);
      narrower.append(facet, String(choice));
      return `/maze/list?${narrower}`;
    }),
  );
  show(exchange, "Things in the maze", `<p>Chosen: ${chosen.size} of ${FACETS.length}.</p>`, links);
}

function show(exchange: Exchange, title: string, text: string, links: string[]): void {
  const items = links.map((link) => `<li><a href="${link.replaceAll("&", "&amp;")}">${link}</a></li>`);
  const main = `<h1>${title}</h1>\n${text}\n<ul>\n${items.join("\n")}\n</ul>`;
  replyHtml(exchange, simplePage(exchange, { title, main }));
}
