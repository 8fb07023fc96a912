import type { IncomingMessage, ServerResponse } from "node:http";
import type { Traffic } from "./traffic.ts";

/** What `/robots.txt` answers. */
export type RobotsMode = "normal" | "missing" | "error" | "disallow-all";

/** What `/sitemap.xml` answers. */
export type SitemapMode = "normal" | "index" | "broken" | "missing";

/** How one site behaves as a whole; fixed when it starts. */
export interface SiteSettings {
  readonly robots: RobotsMode;
  readonly sitemap: SitemapMode;
  /** Pages below `/tree/`, the root included. */
  readonly treePages: number;
  readonly mazePages: number;
}

/** One request with everything a route may need to answer it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The address asked for, absolute, on the origin that was asked. */
  readonly url: URL;
  /** Values of the `:name` parts of the route's path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The origin that was asked, and the one on the other port. */
  readonly origin: string;
  readonly otherOrigin: string;
  readonly settings: SiteSettings;
  readonly traffic: Traffic;
  /** Aborts when the client leaves or the site closes, so that no timer outlives its request. */
  readonly signal: AbortSignal;
}

/** One address (or family of addresses) of the site. */
export interface Route {
  /** Literal path, with `:name` for one segment and a final `*` for any rest (`params.rest`). */
  readonly path: string;
  /** One line for the list at `/__routes`, naming the query parameters. */
  readonly about: string;
  answer(exchange: Exchange): void | Promise<void>;
}

/** A whole number from the query; `fallback` when it is missing or not a number, cut to `max`. */
export function numberParam(exchange: Exchange, name: string, { fallback, max }: { fallback: number; max: number }) {
  const raw = exchange.url.searchParams.get(name);
  const value = raw === null || raw === "" ? Number.NaN : Number(raw);
  return Number.isFinite(value) ? Math.min(Math.max(0, Math.trunc(value)), max) : fallback;
}

/** The request's body as text; a form post or a JSON body of a test is small. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

/** The cookies that came with the request. */
export function readCookies(request: IncomingMessage): Record<string, string> {
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim().split("="));
  return Object.fromEntries(pairs.flatMap(([name, value]) => (name ? [[name, value ?? ""]] : [])));
}
