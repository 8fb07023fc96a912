import { request } from "node:http";
import { expect } from "vitest";
import type { ScrapeDocument } from "../../src/core/scrape/document.ts";
import { inject } from "./inject.ts";

/** What the service answered, whichever of the two it is. */
export interface Answer {
  status: number;
  headers: Headers;
  /** The body as it came. */
  text: string;
  body: {
    success: boolean;
    /** Of a scrape or an upload. */
    data: ScrapeDocument;
    error?: string;
    code?: string;
    details?: { code: string; path: (string | number)[]; message: string }[];
    scrape_id?: string;
  };
}

interface Call {
  method?: string;
  /** Sent as JSON, or as it is when it is a text or a form. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Default: the service of all end-to-end tests, with its key. */
  service?: { url: string; key: string };
}

/** One request to the service. The cast says what the tests then look at: field by field, against what was asked. */
export async function call(path: string, { method, body, headers, service }: Call = {}): Promise<Answer> {
  const { url, key } = service ?? { url: inject("serviceUrl"), key: inject("apiKey") };
  const isJson = body !== undefined && typeof body !== "string" && !(body instanceof FormData);
  const response = await fetch(`${url}${path}`, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      authorization: `Bearer ${key}`,
      // A connection that was kept may have been closed by the service just before it is used.
      connection: "close",
      ...(isJson ? { "content-type": "application/json" } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as string | FormData) }),
  }).catch((error: unknown) => {
    throw new Error(`${path}: ${String(error)}: ${String((error as Error).cause)}`, { cause: error });
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as Answer["body"] };
}

/** A request with a JSON body whatever its method is: `fetch` sends none with GET. */
export function callWithBody(method: string, path: string, body: object): Promise<{ status: number; text: string }> {
  const text = JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${inject("apiKey")}`,
    accept: "application/json",
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  };
  return new Promise((resolve, reject) => {
    const asked = request(`${inject("serviceUrl")}${path}`, { method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    asked.on("error", reject);
    asked.end(text);
  });
}

/** Address of a page of the local site; addresses of other sites stay as they are. */
export function sitePage(page: string): string {
  return page.startsWith("/") ? `${inject("siteUrl")}${page}` : page;
}

/** Scrapes a page of the local site past the cache, unless the options say otherwise. */
export function scrape(page: string, options: object = {}, version: "v1" | "v2" = "v2"): Promise<Answer> {
  return call(`/${version}/scrape`, { body: { url: sitePage(page), maxAge: 0, ...options } });
}

/** The document of a scrape that must succeed. */
export async function scraped(
  page: string,
  options: object = {},
  version: "v1" | "v2" = "v2",
): Promise<ScrapeDocument> {
  const { status, text, body } = await scrape(page, options, version);
  if (status !== 200 || !body.success)
    throw new Error(`${status} for ${page} with ${JSON.stringify(options)}: ${text}`);
  return body.data;
}

/** An address of the site that no other test has asked for, so that neither its cache nor its counters are shared. */
export function fresh(path: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}key=${crypto.randomUUID()}`;
}

/** Waits until the cache holds a page: it is stored after the answer. Looking does not load anything. */
export async function cached(page: string, options: object = {}): Promise<void> {
  await expect
    .poll(async () => (await scrape(page, { ...options, maxAge: undefined, lockdown: true })).status)
    .toBe(200);
}

/** How often a path of the site was asked for, on either origin. */
export async function hits(path: string): Promise<number> {
  const response = await fetch(`${inject("siteUrl")}/__hits?path=${encodeURIComponent(path)}`);
  return Number(await response.text());
}
