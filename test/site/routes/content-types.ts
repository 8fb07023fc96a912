import type { Exchange, Route } from "../exchange.ts";
import { makePng } from "../make-png.ts";
import { reply, replyHtml } from "../reply.ts";
import { renderPage } from "../render.ts";
import { examplePdf } from "./documents.ts";

interface Disguise {
  type: string | null;
  body: (exchange: Exchange) => string | Buffer;
}

const page = (exchange: Exchange) => renderPage(exchange, "articles/seagrass");
const png = () => makePng({ width: 320, height: 200 }, "disguise");
const json = () => '{"harbour": "Harrow Bay", "berths": 84}\n';

/** Bodies whose Content-Type does not say what they are. */
const DISGUISES: Record<string, Disguise> = {
  "html-as-binary": { type: "application/octet-stream", body: page },
  "html-as-text": { type: "text/plain", body: page },
  "html-as-json": { type: "application/json", body: page },
  "html-as-nonsense": { type: "text/html; charset=; ,boundary", body: page },
  "html-without": { type: null, body: page },
  xhtml: { type: "application/xhtml+xml; charset=utf-8", body: (exchange) => renderPage(exchange, "xhtml") },
  "pdf-as-html": { type: "text/html", body: examplePdf },
  "pdf-as-binary": { type: "application/octet-stream", body: examplePdf },
  "pdf-without": { type: null, body: examplePdf },
  "png-as-html": { type: "text/html", body: png },
  png: { type: "image/png", body: png },
  "json-as-html": { type: "text/html", body: json },
  "json-as-text": { type: "text/plain", body: json },
  binary: { type: "application/octet-stream", body: () => Buffer.from([0, 1, 2, 3, 254, 255, 0, 66]) },
};

/** Content types, right and wrong. */
export const contentTypes: Route[] = [
  {
    path: "/type/:name",
    about: `bodies under another name: ${Object.keys(DISGUISES).join(", ")}`,
    answer(exchange) {
      const disguise = DISGUISES[exchange.params.name ?? ""];
      if (!disguise) return replyHtml(exchange, "<p>No such type.</p>", 404);
      reply(exchange, { type: disguise.type, body: disguise.body(exchange) });
    },
  },
  {
    path: "/img/:size/:name",
    about: "a PNG picture; size as 640x400, colours from the name",
    answer: sendPicture,
  },
  {
    path: "/img/mark.svg",
    about: "the site's mark as SVG",
    answer: (exchange) => reply(exchange, { type: "image/svg+xml", body: MARK }),
  },
  {
    path: "/favicon.ico",
    about: "the site's icon (a PNG, as most are)",
    answer: (exchange) => reply(exchange, { type: "image/png", body: makePng({ width: 32, height: 32 }, "favicon") }),
  },
];

const MARK =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><title>Harrow Bay</title><circle cx="20" cy="20" r="18" fill="#15506b"/><path d="M8 24q6-6 12 0t12 0" fill="none" stroke="#fff" stroke-width="3"/></svg>';

function sendPicture(exchange: Exchange): void {
  const size = /^(\d{1,4})x(\d{1,4})$/.exec(exchange.params.size ?? "");
  if (!size) return replyHtml(exchange, "<p>No such picture.</p>", 404);
  const body = makePng({ width: Number(size[1]) || 1, height: Number(size[2]) || 1 }, exchange.params.name ?? "");
  reply(exchange, { type: "image/png", body });
}
