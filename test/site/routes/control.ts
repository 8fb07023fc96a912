import type { Route } from "../exchange.ts";
import { reply, replyJson, TEXT } from "../reply.ts";

/** The site's own switches; not counted as hits. */
export const control: Route[] = [
  {
    path: "/__hits",
    about: "requests by path as JSON; ?path= for one number",
    answer(exchange) {
      const path = exchange.url.searchParams.get("path");
      replyJson(exchange, path === null ? exchange.traffic.allHits() : exchange.traffic.hits(path));
    },
  },
  {
    path: "/__requests",
    about: "every request in order, with headers and time, as JSON; ?path= for the last one to a path",
    answer(exchange) {
      const path = exchange.url.searchParams.get("path");
      replyJson(exchange, path === null ? exchange.traffic.log() : (exchange.traffic.last(path) ?? null));
    },
  },
  {
    path: "/__reset",
    about: "forgets counts, requests and attempts",
    answer(exchange) {
      exchange.traffic.reset();
      reply(exchange, { type: TEXT, body: "ok\n" });
    },
  },
];

/** The list of all routes, for people. */
export function routeList(routes: readonly Route[]): Route {
  const width = Math.max(...routes.map((route) => route.path.length));
  const lines = routes.map((route) => `${route.path.padEnd(width)}  ${route.about}`);
  return {
    path: "/__routes",
    about: "this list",
    answer: (exchange) => reply(exchange, { type: TEXT, body: `${lines.join("\n")}\n` }),
  };
}
