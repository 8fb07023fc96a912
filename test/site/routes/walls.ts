import type { Exchange, Route } from "../exchange.ts";
import { numberParam, readBody, readCookies } from "../exchange.ts";
import { redirect, reply, replyHtml } from "../reply.ts";
import { renderPage } from "../render.ts";
import { renderWall, WALL_KINDS } from "../wall-kinds.ts";

/** Lets a browser through after a second, as such gates do once their script is content. */
const PASS_SCRIPT = `<script>
  setTimeout(() => { document.cookie = "gate_clearance=ok; path=/"; location.reload(); }, 1000);
</script>`;

const GATE_HEADERS = {
  Server: "breakwater-gate",
  "X-Gate-Mitigated": "challenge",
  "Cache-Control": "private, max-age=0, no-store",
};

/** Pages that stand between the visitor and the content, and pages that are not there. */
export const walls: Route[] = [
  {
    path: "/bot-wall",
    about: "403 challenge “checking your browser” that nothing passes",
    answer: (exchange) => gate(exchange, ""),
  },
  {
    path: "/bot-wall/passable",
    about: "the same challenge, whose script sets a cookie and reloads: a browser reads the article after a second",
    answer(exchange) {
      if (readCookies(exchange.request).gate_clearance === "ok") return article(exchange);
      gate(exchange, PASS_SCRIPT);
    },
  },
  {
    path: "/bot-wall/503",
    about: "503 challenge of the older kind",
    answer: (exchange) =>
      reply(exchange, {
        status: 503,
        headers: { ...GATE_HEADERS, "Retry-After": "5" },
        body: renderPage(exchange, "refusals/bot-wall-503"),
      }),
  },
  {
    path: "/bot-wall/200",
    about: "the challenge with status 200",
    answer: (exchange) =>
      reply(exchange, { headers: GATE_HEADERS, body: renderPage(exchange, "refusals/bot-wall", { script: "" }) }),
  },
  {
    path: "/walls/:kind",
    about: "the page of one of the known services, with its status; ?kb= for its size",
    answer(exchange) {
      const kind = WALL_KINDS[exchange.params["kind"] ?? ""];
      if (kind === undefined) return replyHtml(exchange, renderPage(exchange, "refusals/soft-404"), 404);
      const body = renderWall(kind, 1_000 * numberParam(exchange, "kb", { fallback: 0, max: 1_000 }));
      reply(exchange, { status: kind.status, headers: kind.headers ?? {}, body });
    },
  },
  {
    path: "/browser-only",
    about: "403 unless the user agent looks like a desktop browser's, then the article",
    answer(exchange) {
      if (/Chrome\/|Firefox\/|Safari\//.test(exchange.request.headers["user-agent"] ?? "")) return article(exchange);
      replyHtml(exchange, renderPage(exchange, "refusals/access-denied"), 403);
    },
  },
  {
    path: "/captcha",
    about: "429 with a captcha page",
    answer: (exchange) => replyHtml(exchange, renderPage(exchange, "refusals/captcha"), 429),
  },
  {
    path: "/access-denied",
    about: "403 of a content network",
    answer: (exchange) => replyHtml(exchange, renderPage(exchange, "refusals/access-denied"), 403),
  },
  {
    path: "/login-wall",
    about: "200 that only asks to log in",
    answer: (exchange) => replyHtml(exchange, renderPage(exchange, "refusals/login-wall")),
  },
  {
    path: "/paywall",
    about: "the first paragraph and an offer",
    answer: (exchange) => replyHtml(exchange, renderPage(exchange, "refusals/paywall")),
  },
  {
    path: "/consent",
    about: "a consent layer over a whole article",
    answer: (exchange) => replyHtml(exchange, renderPage(exchange, "refusals/consent")),
  },
  {
    path: "/consent-page",
    about: "a consent page instead of the article, until its form has set a cookie",
    answer: consentPage,
  },
  {
    path: "/soft-404",
    about: "200 that says “page not found”",
    answer: (exchange) => replyHtml(exchange, renderPage(exchange, "refusals/soft-404")),
  },
  {
    path: "/soft-404/*",
    about: "the same under any name",
    answer: (exchange) => replyHtml(exchange, renderPage(exchange, "refusals/soft-404")),
  },
  {
    path: "/missing",
    about: "404 with a page of its own",
    answer: (exchange) => replyHtml(exchange, renderPage(exchange, "refusals/soft-404"), 404),
  },
  {
    path: "/gone",
    about: "410 with a page of its own",
    answer: (exchange) => replyHtml(exchange, renderPage(exchange, "refusals/gone"), 410),
  },
  {
    path: "/server-error",
    about: "500 with a page of its own",
    answer: (exchange) => replyHtml(exchange, renderPage(exchange, "refusals/server-error"), 500),
  },
];

function article(exchange: Exchange): void {
  replyHtml(exchange, renderPage(exchange, "articles/seagrass"));
}

function gate(exchange: Exchange, script: string): void {
  reply(exchange, { status: 403, headers: GATE_HEADERS, body: renderPage(exchange, "refusals/bot-wall", { script }) });
}

async function consentPage(exchange: Exchange): Promise<void> {
  if (exchange.request.method === "POST") {
    const choice = new URLSearchParams(await readBody(exchange.request)).get("choice") ?? "none";
    exchange.response.setHeader("Set-Cookie", `page_consent=${encodeURIComponent(choice)}; Path=/`);
    return redirect(exchange, "/consent-page", 303);
  }
  if (readCookies(exchange.request).page_consent !== undefined) return article(exchange);
  replyHtml(exchange, renderPage(exchange, "refusals/consent-only"));
}
