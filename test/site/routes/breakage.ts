import { STATUS_CODES } from "node:http";
import type { Exchange, Route } from "../exchange.ts";
import { numberParam } from "../exchange.ts";
import { HTML, reply, replyHtml } from "../reply.ts";
import { escapeHtml } from "../reply.ts";
import { renderPage, simplePage } from "../render.ts";

/** Bodies are forbidden with these (RFC 9110 section 6.4.1). */
const BODILESS_STATUSES = new Set([204, 205, 304]);

/** Connections and servers that fail, some of them only for a while. */
export const breakage: Route[] = [
  {
    path: "/reset",
    about: "TCP reset; ?after=headers sends headers and some body first",
    answer(exchange) {
      const cut = () => void exchange.request.socket.resetAndDestroy();
      if (exchange.url.searchParams.get("after") !== "headers") return cut();
      exchange.response.writeHead(200, { "Content-Type": HTML });
      exchange.response.write("<!doctype html><title>Cut off</title><p>The line goes dead after this", cut);
    },
  },
  {
    path: "/truncated",
    about: "Content-Length of 100,000, then a few hundred bytes and the end of the connection",
    answer(exchange) {
      exchange.response.writeHead(200, { "Content-Type": HTML, "Content-Length": 100_000 });
      exchange.response.write(renderPage(exchange, "final"), () => exchange.request.socket.destroySoon());
    },
  },
  {
    path: "/cut-chunks",
    about: "a page in chunks whose last one never comes; ?body=none for headers alone, then the end of the connection",
    answer(exchange) {
      exchange.response.writeHead(200, { "Content-Type": HTML });
      exchange.response.flushHeaders();
      const end = () => void exchange.request.socket.destroySoon();
      if (exchange.url.searchParams.get("body") === "none") return void setTimeout(end, 50);
      exchange.response.write(renderPage(exchange, "final"), end);
    },
  },
  {
    path: "/not-gzip",
    about: "a body that says it is gzip and is nothing of the kind",
    answer(exchange) {
      exchange.response.writeHead(200, { "Content-Type": HTML, "Content-Encoding": "gzip" });
      exchange.response.end("<p>This is no gzip at all.</p>".repeat(20));
    },
  },
  {
    path: "/not-http",
    about: "a response of another protocol, SHOUTcast's",
    answer: (exchange) => void exchange.request.socket.end("ICY 200 OK\r\nicy-name: Harbour radio\r\n\r\nmusic"),
  },
  {
    path: "/two-responses",
    about: "a page, and behind it the beginning of a response that nobody has asked for",
    answer(exchange) {
      const body = renderPage(exchange, "final");
      const head = `HTTP/1.1 200 OK\r\nContent-Type: ${HTML}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
      exchange.request.socket.end(`${head}${body}HTTP/1.1 200 OK and more`);
    },
  },
  {
    path: "/status-999",
    about: "a page with status 999, as some sites send to robots",
    answer(exchange) {
      const body = "<!doctype html><title>Denied</title><p>Request denied, says the harbour master.</p>";
      exchange.request.socket.end(
        `HTTP/1.1 999 Request denied\r\nContent-Type: ${HTML}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
    },
  },
  {
    path: "/flaky",
    about: "500 for the first ?fails=2 requests of ?key=, then the page",
    answer: (exchange) =>
      failFirst(exchange, () => replyHtml(exchange, renderPage(exchange, "refusals/server-error"), 500)),
  },
  {
    path: "/flaky-reset",
    about: "TCP reset for the first ?fails=1 requests of ?key=, then the page",
    answer: (exchange) => failFirst(exchange, () => void exchange.request.socket.resetAndDestroy(), 1),
  },
  {
    path: "/rate-limited",
    about: "429 with Retry-After: ?after=1 for the first ?fails=1 requests of ?key=, then the page",
    answer: (exchange) => failFirst(exchange, () => tooMany(exchange), 1),
  },
  {
    path: "/unavailable",
    about: "503 with Retry-After: 120, always",
    answer: (exchange) =>
      reply(exchange, {
        status: 503,
        headers: { "Retry-After": "120" },
        body: simplePage(exchange, {
          title: "Closed for maintenance",
          main: "<h1>Back shortly</h1><p>We are moving the archive to a drier shelf. Please come back after lunch.</p>",
        }),
      }),
  },
  {
    path: "/status/:code",
    about: "a short page with that status; 204, 205 and 304 without a body",
    answer(exchange) {
      const code = Number(exchange.params.code);
      if (!Number.isInteger(code) || code < 200 || code > 599)
        return replyHtml(exchange, "<p>No such status.</p>", 400);
      if (BODILESS_STATUSES.has(code)) {
        exchange.response.writeHead(code).end();
        return;
      }
      const words = STATUS_CODES[code] ?? "Unnamed status";
      const main = `<h1>${code} ${escapeHtml(words)}</h1><p>This address always answers with status ${code}.</p>`;
      replyHtml(exchange, simplePage(exchange, { title: `${code} ${words}`, main }), code);
    },
  },
  {
    path: "/no-content",
    about: "204 without a body",
    answer: (exchange) => void exchange.response.writeHead(204).end(),
  },
];

function tooMany(exchange: Exchange): void {
  const after = numberParam(exchange, "after", { fallback: 1, max: 3_600 });
  const main = "<h1>Too many requests</h1><p>The harbour office asks you to slow down.</p>";
  reply(exchange, {
    status: 429,
    headers: { "Retry-After": String(after) },
    body: simplePage(exchange, { title: "429 Too Many Requests", main }),
  });
}

/** Fails the first requests of a key, then answers the page. */
function failFirst(exchange: Exchange, fail: () => void, usualFails = 2): void {
  const key = exchange.url.searchParams.get("key") ?? "default";
  const fails = numberParam(exchange, "fails", { fallback: usualFails, max: 1_000 });
  const attempt = exchange.traffic.attempt(`${exchange.url.pathname} ${key}`);
  if (attempt <= fails) fail();
  else {
    const main = `<h1>Steady again</h1><p>Attempt ${attempt} got through.</p>`;
    replyHtml(exchange, simplePage(exchange, { title: "Steady again", main }));
  }
}
