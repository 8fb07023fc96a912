import type { Exchange, Route } from "../exchange.ts";
import { numberParam } from "../exchange.ts";
import { LINK_LOCAL_PROBE } from "../probe.ts";
import { redirect, reply, replyHtml } from "../reply.ts";
import { renderPage } from "../render.ts";

const REDIRECT_CODES = new Set(["301", "302", "303", "307", "308"]);

/** Redirects of every kind, also those a server must refuse to follow. */
export const redirects: Route[] = [
  { path: "/final", about: "where redirects end: a small page", answer: finalPage },
  {
    path: "/redirect",
    about: "302 to /final",
    answer: (exchange) => redirect(exchange, "/final"),
  },
  {
    path: "/redirect/:count",
    about: "a chain of that many redirects to /final; ?code=301|302|303|307|308",
    answer(exchange) {
      const left = Math.min(Number(exchange.params.count) || 1, 1_000);
      const code = numberParam(exchange, "code", { fallback: 302, max: 308 });
      redirect(exchange, left > 1 ? `/redirect/${left - 1}${exchange.url.search}` : "/final", code);
    },
  },
  {
    path: "/redirect-code/:code",
    about: "one redirect with that status (301, 302, 303, 307, 308) to /echo.json, to see method and body change",
    answer(exchange) {
      const code = exchange.params.code ?? "";
      if (REDIRECT_CODES.has(code)) redirect(exchange, "/echo.json", Number(code));
      else replyHtml(exchange, "<p>Not a redirect status.</p>", 400);
    },
  },
  {
    path: "/redirect-to",
    about: "302 to ?url=, whatever it is; ?code=",
    answer(exchange) {
      const target = exchange.url.searchParams.get("url") ?? "/final";
      redirect(exchange, target, numberParam(exchange, "code", { fallback: 302, max: 308 }));
    },
  },
  {
    path: "/redirect-other",
    about:
      "302 to the second origin's /echo.json, where secrets must not follow; ?to= another path, ?host=localhost another host",
    answer(exchange) {
      const target = new URL(exchange.url.searchParams.get("to") ?? "/echo.json", exchange.otherOrigin);
      if (exchange.url.searchParams.get("host") === "localhost") target.hostname = "localhost";
      redirect(exchange, target.href);
    },
  },
  {
    path: "/redirect-relative/here",
    about: "302 with the relative Location ../final?from=relative",
    answer: (exchange) => redirect(exchange, "../final?from=relative"),
  },
  {
    path: "/redirect-loop",
    about: "two addresses that redirect to each other for ever",
    answer: (exchange) => redirect(exchange, "/redirect-loop/back"),
  },
  {
    path: "/redirect-loop/back",
    about: "the other half of the loop",
    answer: (exchange) => redirect(exchange, "/redirect-loop"),
  },
  {
    path: "/redirect-cookie-loop",
    about: "redirects to itself until the cookie it sets comes back, then answers the final page",
    answer(exchange) {
      if (exchange.request.headers.cookie?.includes("seen=yes")) return finalPage(exchange);
      reply(exchange, {
        status: 302,
        headers: { Location: "/redirect-cookie-loop", "Set-Cookie": "seen=yes; Path=/" },
      });
    },
  },
  {
    path: "/redirect-private",
    about: "302 to an invented path on the cloud metadata address 169.254.169.254",
    answer: (exchange) => redirect(exchange, LINK_LOCAL_PROBE),
  },
  {
    path: "/redirect-file",
    about: "302 to file:///etc/passwd",
    answer: (exchange) => redirect(exchange, "file:///etc/passwd"),
  },
  {
    path: "/redirect-nowhere",
    about: "302 without a Location header",
    answer: (exchange) => reply(exchange, { status: 302, body: "<p>Moved, but where to?</p>" }),
  },
  {
    path: "/redirect-unicode",
    about: "302 whose Location holds raw UTF-8 bytes, as many old servers send: /café",
    answer: (exchange) => redirect(exchange, Buffer.from("/café").toString("latin1")),
  },
  {
    path: "/caf%C3%A9",
    about: "a page whose path is not ASCII",
    answer: finalPage,
  },
  {
    path: "/meta-refresh",
    about: "200 whose <meta http-equiv=refresh> leads to /final; ?seconds=0",
    answer(exchange) {
      const seconds = numberParam(exchange, "seconds", { fallback: 0, max: 60 });
      replyHtml(exchange, renderPage(exchange, "refusals/meta-refresh", { seconds: String(seconds) }));
    },
  },
];

function finalPage(exchange: Exchange): void {
  replyHtml(exchange, renderPage(exchange, "final"));
}
