import type { Exchange, Route } from "../exchange.ts";
import { numberParam } from "../exchange.ts";
import { HTML, pause, replyHtml } from "../reply.ts";
import { renderPage, simplePage } from "../render.ts";

const MAX_DELAY_MS = 600_000;

/** Answers that come late, in drops, or never. */
export const delays: Route[] = [
  {
    path: "/slow",
    about: "a whole page after ?ms=5000 without a byte before",
    async answer(exchange) {
      const ms = numberParam(exchange, "ms", { fallback: 5_000, max: MAX_DELAY_MS });
      if (await pause(exchange, ms)) replyHtml(exchange, renderPage(exchange, "final"));
    },
  },
  {
    path: "/drip",
    about: "headers at once, then the body in ?n=10 pieces over ?ms=3000",
    answer: drip,
  },
  {
    path: "/stall",
    about: "headers and half a page, then nothing for ever",
    answer(exchange) {
      const page = renderPage(exchange, "final");
      exchange.response.writeHead(200, { "Content-Type": HTML });
      exchange.response.write(page.slice(0, page.length / 2));
    },
  },
  {
    path: "/held-up",
    about: "a whole page whose ?by=script, style or image never arrives",
    answer(exchange) {
      const by = exchange.url.searchParams.get("by") ?? "script";
      const held = {
        script: '<script src="/hang?file=script"></script>',
        style: '<link rel="stylesheet" href="/hang?file=style">',
        image: '<img src="/hang?file=image" alt="">',
      }[by];
      const rest = `<script>document.title += ", whose scripts ran"</script>`;
      replyHtml(exchange, simplePage(exchange, { title: "A held-up page", main: `${held}<p>Its text.</p>${rest}` }));
    },
  },
  { path: "/hang", about: "takes the request and never answers", answer: () => {} },
];

async function drip(exchange: Exchange): Promise<void> {
  const pieces = Math.max(1, numberParam(exchange, "n", { fallback: 10, max: 1_000 }));
  const ms = numberParam(exchange, "ms", { fallback: 3_000, max: MAX_DELAY_MS });
  const lines = Array.from({ length: pieces }, (_, index) => `<p>Drop ${index + 1} of ${pieces}.</p>`);
  const [before = "", after = ""] = simplePage(exchange, { title: "Dripping tap", main: "@@" }).split("@@");
  exchange.response.writeHead(200, { "Content-Type": HTML });
  exchange.response.write(before);
  for (const line of lines) {
    if (!(await pause(exchange, ms / pieces))) return;
    exchange.response.write(`${line}\n`);
  }
  exchange.response.end(after);
}
