import type { Exchange, Route } from "../exchange.ts";
import { reply, TEXT } from "../reply.ts";

/** robots.txt in the state that the site was started with. */
export const robots: Route[] = [
  {
    path: "/robots.txt",
    about:
      "disallows /private/, with a BOM, odd lines and mixed case; or 404, 503, everything disallowed (option robots)",
    answer: sendRobots,
  },
];

function sendRobots(exchange: Exchange): void {
  const mode = exchange.settings.robots;
  if (mode === "missing") return reply(exchange, { status: 404, type: TEXT, body: "no such file\n" });
  if (mode === "error") return reply(exchange, { status: 503, type: TEXT, body: "not now\n" });
  const body = mode === "disallow-all" ? "User-agent: *\nDisallow: /\n" : untidyRobots(exchange.origin);
  reply(exchange, { type: TEXT, body });
}

/** What people really upload: valid where it matters, careless everywhere else (cases of RFC 9309 section 2.2). */
function untidyRobots(origin: string): string {
  return [
    "\u{FEFF}# robots of Harrow Bay",
    "Disallow: /before-any-group",
    "this line says nothing",
    "",
    "USER-AGENT: *   # everybody",
    "  disallow :   /private/",
    "Dissallow: /articles/",
    "Allow: /private/open",
    "Noindex: /shop",
    "Crawl-delay: abc",
    ": /docs/",
    "Disallow:",
    "",
    "User-agent: GreedyBot",
    "User-agent: hungry-bot/2.0",
    "Disallow: /",
    "",
    `sitemap:${origin}/sitemap.xml`,
    "Sitemap: /sitemap-index.xml",
    "Host: harrow-bay.example",
    "",
  ].join("\r\n");
}
