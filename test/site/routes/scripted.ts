import type { Exchange, Route } from "../exchange.ts";
import { numberParam } from "../exchange.ts";
import { LINK_LOCAL_PROBE } from "../probe.ts";
import { replyHtml } from "../reply.ts";
import { renderPage } from "../render.ts";

const AD_HOSTS = `<script async src="https://pagead2.googlesyndication.com/pagead/js/adsbygoogle.js"></script>
<script async src="https://securepubads.g.doubleclick.net/tag/js/gpt.js"></script>
<img src="https://ad.doubleclick.net/ddm/ad/harrow-bay" width="1" height="1" alt="">`;

type Fills = (exchange: Exchange) => Record<string, string>;

const noFills: Fills = () => ({});

/** Path, file in pages/, what it is for, what fills its blanks. */
const PAGES: [path: string, file: string, about: string, fills?: Fills][] = [
  ["/app/shell", "app/shell", "an empty shell that script fills at once; ?ms=", () => ({ ms: "0" })],
  ["/app/slow", "app/shell", "the same after ?ms=2000", () => ({ ms: "2000" })],
  [
    "/app/scroll",
    "app/scroll",
    "an endless list that grows by 10 when scrolled; ?max=200",
    (exchange) => ({ max: String(numberParam(exchange, "max", { fallback: 200, max: 10_000 })) }),
  ],
  ["/app/lists", "app/lists", "a list of ?total=120 boats, which ?kind= says how to come by"],
  ["/app/click", "app/click", "content that comes after a click on #open"],
  ["/app/buttons", "app/buttons", "five buttons .shutter and one .other; lists those that were clicked"],
  ["/app/iframe", "app/frame", "content in a frame of the same origin", () => ({ source: "/app/framed" })],
  [
    "/app/iframe-other",
    "app/frame",
    "content in a frame of the second origin",
    ({ otherOrigin }) => ({ source: `${otherOrigin}/app/framed` }),
  ],
  ["/app/framed", "app/framed", "what stands in the frame"],
  ["/app/shadow", "app/shadow", "content in open, nested, declared and closed shadow roots"],
  ["/app/polling", "app/polling", "a page that never goes idle: polls /app/gauge.json and waits for /hang"],
  ["/app/hang", "app/hang", "an endless loop: ?hang=1 after load (and ?ms=100), ?hang=now while loading"],
  ["/app/memory", "app/memory", "fills ?mb= megabytes of the tab's memory, 1,024 at most"],
  ["/app/dialogs", "app/dialogs", "alert, confirm, prompt and a beforeunload guard"],
  ["/app/popups", "app/popups", "tries to open windows on load, by button #pop and by link #blank"],
  ["/app/popup-target", "app/framed", "what such a window shows"],
  ["/app/navigates", "app/navigates", "leaves by itself: ?to=/final after ?ms=300, or while it is read: ?ms=now"],
  ["/app/history", "app/history", "single page application: links that pushState"],
  ["/app/routes", "app/routes", "single page application with hash routes: #/, #/tides, #/ferries/1, #/ferries/2"],
  ["/app/history/:view", "app/history", "its views tides, berths, crew"],
  [
    "/app/private-fetch",
    "app/private",
    "fetches private addresses (?target= or the second origin, localhost, ::1, 0.0.0.0, file:, ws:; ?link-local=1 adds 169.254.169.254) and lists the outcomes",
    privateTargets,
  ],
  [
    "/app/ads",
    "app/ads",
    "advertisements under paths and names that filter lists know; ?hosts=1 adds real ad hosts",
    (exchange) => ({ hosts: exchange.url.searchParams.get("hosts") === "1" ? AD_HOSTS : "" }),
  ],
  ["/app/typing", "app/typing", "fields that write typed values, keys and event counts into text"],
  ["/app/controls", "app/controls", "checkbox, radio, select, range, date, file and hover, their state in text"],
  ["/app/console", "app/console", "a script with a syntax error, one that throws, one that logs"],
];

/** Pages that need a browser. */
export const scripted: Route[] = PAGES.map(([path, file, about, fills = noFills]) => ({
  path,
  about,
  answer: (exchange) => replyHtml(exchange, renderPage(exchange, file, fills(exchange))),
}));

function privateTargets(exchange: Exchange): Record<string, string> {
  const target = new URL(exchange.url.searchParams.get("target") ?? exchange.otherOrigin);
  const isAsked = exchange.url.searchParams.get("link-local") === "1";
  return {
    target: target.origin,
    "target-port": target.port || "80",
    "link-local-image": isAsked ? `<img src="${LINK_LOCAL_PROBE}/image" alt="">` : "",
    "link-local-target": isAsked ? `"${LINK_LOCAL_PROBE}/fetch",` : "",
  };
}
