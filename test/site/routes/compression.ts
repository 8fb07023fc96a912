import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { bombBytes, brotliBomb, gzipBomb } from "../bombs.ts";
import type { Exchange, Route } from "../exchange.ts";
import { numberParam } from "../exchange.ts";
import { reply, replyHtml } from "../reply.ts";
import { renderPage } from "../render.ts";

const BOMB_MB = 1024;

/** The Content-Encoding each name stands for, and how its body is made. */
const ENCODINGS: Record<string, { header: string; encode: (bytes: Buffer) => Buffer }> = {
  gzip: { header: "gzip", encode: gzipSync },
  br: { header: "br", encode: brotliCompressSync },
  deflate: { header: "deflate", encode: deflateSync },
  // Sent by old servers that read "deflate" without the zlib wrapper of RFC 9110 section 8.4.1.2.
  "deflate-raw": { header: "deflate", encode: deflateRawSync },
  zstd: { header: "zstd", encode: zstdCompressSync },
  double: { header: "gzip, gzip", encode: (bytes) => gzipSync(gzipSync(bytes)) },
  liar: { header: "gzip", encode: (bytes) => bytes },
  cut: { header: "gzip", encode: (bytes) => gzipSync(bytes).subarray(0, 400) },
};

/** Compressed answers, honest and hostile. They come whether or not the client asked for compression. */
export const compression: Route[] = [
  {
    path: "/compressed/:name",
    about:
      "a page as gzip, br, deflate, deflate-raw, zstd, double (gzip twice), liar (plain text called gzip), cut (half a gzip)",
    answer: compressed,
  },
  {
    path: "/bomb",
    about: "1 MB of gzip that unfolds to 1 GB; ?mb=1024 for another unfolded size",
    answer(exchange) {
      const mb = bombSize(exchange);
      sendBomb(exchange, { encoding: "gzip", body: gzipBomb(mb), unfolded: bombBytes(mb) });
    },
  },
  {
    path: "/bomb-twice",
    about: "less than 2 kB that were packed with gzip twice and unfold to 256 MB; ?mb=256",
    answer(exchange) {
      const mb = numberParam(exchange, "mb", { fallback: 256, max: BOMB_MB });
      const body = gzipSync(gzipBomb(mb), { level: 9 });
      sendBomb(exchange, { encoding: "gzip, gzip", body, unfolded: bombBytes(mb) });
    },
  },
  {
    path: "/bomb-br",
    about: "a few hundred bytes of brotli that unfold to 1 GB; ?mb=1024",
    async answer(exchange) {
      const mb = bombSize(exchange);
      sendBomb(exchange, { encoding: "br", body: await brotliBomb(mb), unfolded: bombBytes(mb) });
    },
  },
];

function compressed(exchange: Exchange): void {
  const encoding = ENCODINGS[exchange.params.name ?? ""];
  if (!encoding) return replyHtml(exchange, "<p>No such encoding.</p>", 404);
  const page = Buffer.from(renderPage(exchange, "articles/seagrass"));
  reply(exchange, {
    headers: { "Content-Encoding": encoding.header, Vary: "Accept-Encoding" },
    body: encoding.encode(page),
  });
}

function bombSize(exchange: Exchange): number {
  return numberParam(exchange, "mb", { fallback: BOMB_MB, max: BOMB_MB });
}

function sendBomb(exchange: Exchange, bomb: { encoding: string; body: Buffer; unfolded: number }): void {
  const headers = { "Content-Encoding": bomb.encoding, "X-Unfolded-Bytes": String(bomb.unfolded) };
  reply(exchange, { headers, body: bomb.body });
}
