import type { Exchange, Route } from "../exchange.ts";
import { numberParam } from "../exchange.ts";
import { reply, replyHtml, replyJson, TEXT } from "../reply.ts";

const SCRIPT = "text/javascript; charset=utf-8";

const BOARD = {
  title: "Harbour board",
  lead: "Arrivals of today, as far as the office has been told.",
  arrivals: [
    { time: "06:20", vessel: "Marguerite", berth: "E4" },
    { time: "08:05", vessel: "Saint Bride", berth: "ferry" },
    { time: "14:40", vessel: "Zeevonk", berth: "W11" },
  ],
};

const BUNDLE = `document.getElementById("app").innerHTML = "<main><h1>Harrow Bay Live</h1><p>The harbour as it is this minute: nine berths free, wind south-west four, and the kettle on.</p></main>";`;

const ENTRIES_PER_LOAD = 10;

/** What the script pages load. */
export const scriptData: Route[] = [
  { path: "/app/board.json", about: "data of /app/shell", answer: (exchange) => replyJson(exchange, BOARD) },
  { path: "/app/bundle.js", about: "script of /noscript", answer: (exchange) => sendScript(exchange, BUNDLE) },
  {
    path: "/app/scroll/entries",
    about: "ten entries of the endless list; ?from=",
    answer(exchange) {
      const from = numberParam(exchange, "from", { fallback: 0, max: 1_000_000 });
      const entries = Array.from(
        { length: ENTRIES_PER_LOAD },
        (_, index) => `Entry ${from + index + 1}: all well at the mole.`,
      );
      replyJson(exchange, entries);
    },
  },
  {
    path: "/app/drawer.txt",
    about: "the text behind the click",
    answer: (exchange) => reply(exchange, { type: TEXT, body: "The key hangs behind the barometer." }),
  },
  {
    path: "/app/gauge.json",
    about: "a reading for /app/polling",
    answer: (exchange) =>
      replyJson(exchange, { height: (2 + Math.sin(exchange.traffic.attempt("gauge") / 10)).toFixed(2) }),
  },
  {
    path: "/private-target",
    about: "an address that /app/private-fetch must not reach when private addresses are refused; see its hits",
    answer: sendPrivate,
  },
  { path: "/private-target/*", about: "the same by other ways", answer: sendPrivate },
  {
    path: "/ads/banner.js",
    about: "advertising script: marks #state and #banner-ad",
    answer: (exchange) => sendScript(exchange, adScript("banner")),
  },
  {
    path: "/pagead/show_ads.js",
    about: "a second advertising script",
    answer: (exchange) => sendScript(exchange, adScript("show_ads")),
  },
  {
    path: "/js/analytics.js",
    about: "a script with a tracker's name",
    answer: (exchange) => sendScript(exchange, adScript("analytics")),
  },
  {
    path: "/js/harbour.js",
    about: "an honest script of the same page",
    answer: (exchange) => sendScript(exchange, `document.body.dataset.harbour = "honest script ran";`),
  },
  {
    path: "/ads/banner.gif",
    about: "advertising picture",
    answer: (exchange) =>
      reply(exchange, {
        type: "image/gif",
        body: Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"),
      }),
  },
  {
    path: "/adframe/*",
    about: "advertising frame",
    answer: (exchange) =>
      replyHtml(exchange, "<!doctype html><title>Ad</title><p>Buy two ropes, tie a third one free.</p>"),
  },
];

function sendScript(exchange: Exchange, body: string): void {
  reply(exchange, { type: SCRIPT, body });
}

function sendPrivate(exchange: Exchange): void {
  reply(exchange, {
    type: TEXT,
    headers: { "Access-Control-Allow-Origin": "*" },
    body: "secret of the inner harbour\n",
  });
}

function adScript(name: string): string {
  return `(window.adScripts ??= []).push("${name}");
document.getElementById("state").textContent = "advertising scripts ran: " + window.adScripts.join(", ");
document.getElementById("banner-ad").textContent = "Advertisement: anchors, half price.";
`;
}
