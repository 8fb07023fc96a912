import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Exchange, Route } from "../exchange.ts";
import { numberParam } from "../exchange.ts";
import { HTML, reply, replyHtml } from "../reply.ts";
import { renderPage, simplePage } from "../render.ts";

const MEGABYTE = 1024 * 1024;
const SENTENCE = "The tide came in over the flats and went out again, and the clerk wrote both times in the book. ";

/** Pages of unusual size or shape. */
export const sizes: Route[] = [
  {
    path: "/huge",
    about: "a page of ?mb=50 megabytes of paragraphs, streamed; ?length=1 names the size in Content-Length",
    answer: huge,
  },
  {
    path: "/endless",
    about: "paragraphs without end, until the client leaves",
    answer(exchange) {
      exchange.response.writeHead(200, { "Content-Type": HTML });
      return stream(exchange, Number.POSITIVE_INFINITY);
    },
  },
  {
    path: "/long-line",
    about: "one paragraph of ?mb=2 megabytes without a line break or space",
    answer(exchange) {
      const mb = numberParam(exchange, "mb", { fallback: 2, max: 200 });
      const main = `<h1>One line</h1><p>${"ebbandflow".repeat((mb * MEGABYTE) / 10)}</p><p>The end of the line.</p>`;
      replyHtml(exchange, simplePage(exchange, { title: "A very long line", main }));
    },
  },
  {
    path: "/deep",
    about: "?n=50000 nested <div>s around one sentence; ?tag= for another element",
    answer(exchange) {
      const depth = numberParam(exchange, "n", { fallback: 50_000, max: 1_000_000 });
      const tag = (exchange.url.searchParams.get("tag") ?? "div").replace(/[^a-z0-9]/g, "");
      const main = `${`<${tag}>`.repeat(depth)}The bottom of the well.${`</${tag}>`.repeat(depth)}`;
      replyHtml(exchange, simplePage(exchange, { title: "Deep nesting", main }));
    },
  },
  {
    path: "/many-links",
    about: "?n=10000 links to /tree/ pages and to pages that do not exist",
    answer(exchange) {
      const count = numberParam(exchange, "n", { fallback: 10_000, max: 200_000 });
      const items = Array.from(
        { length: count },
        (_, index) => `<li><a href="/tree/${index + 1}">Page ${index + 1}</a></li>`,
      );
      replyHtml(exchange, simplePage(exchange, { title: "Many links", main: `<ul>\n${items.join("\n")}\n</ul>` }));
    },
  },
  { path: "/empty", about: "200 with an empty body", answer: (exchange) => replyHtml(exchange, "") },
  {
    path: "/blank",
    about: "200 with a document whose body is empty",
    answer: (exchange) => replyHtml(exchange, "<!doctype html><html><head><title></title></head><body></body></html>"),
  },
  {
    path: "/chunked",
    about: "a page in chunks of 7 bytes that cut through tags and letters",
    answer(exchange) {
      const bytes = Buffer.from(renderPage(exchange, "final"));
      exchange.response.writeHead(200, { "Content-Type": HTML });
      for (let at = 0; at < bytes.length; at += 7) exchange.response.write(bytes.subarray(at, at + 7));
      exchange.response.end();
    },
  },
  {
    path: "/long-header",
    about: "a page with ?kb=7 kilobytes of one response header",
    answer(exchange) {
      const kb = numberParam(exchange, "kb", { fallback: 7, max: 1_024 });
      reply(exchange, { headers: { "X-Ballast": "o".repeat(kb * 1024) }, body: renderPage(exchange, "final") });
    },
  },
];

async function huge(exchange: Exchange): Promise<void> {
  const bytes = numberParam(exchange, "mb", { fallback: 50, max: 2_048 }) * MEGABYTE;
  const named = exchange.url.searchParams.get("length") === "1";
  exchange.response.writeHead(200, { "Content-Type": HTML, ...(named ? { "Content-Length": bytes } : {}) });
  await stream(exchange, bytes);
}

/** Sends exactly that many bytes of HTML, no faster than the client reads. */
async function stream(exchange: Exchange, totalBytes: number): Promise<void> {
  await pipeline(Readable.from(paragraphs(totalBytes)), exchange.response, { signal: exchange.signal });
}

function* paragraphs(totalBytes: number): Generator<Buffer> {
  const head = Buffer.from(
    "<!doctype html><html lang=en><head><title>A very large page</title></head><body><h1>The long book</h1>\n",
  );
  const block = Buffer.from(`<p>${SENTENCE.repeat(8)}</p>\n`.repeat(80));
  yield head.subarray(0, totalBytes);
  for (let left = totalBytes - head.length; left > 0; left -= block.length)
    yield block.subarray(0, Math.min(left, block.length));
}
