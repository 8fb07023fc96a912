import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { makeTextPdf } from "../../site/make-pdf.ts";
import { articlePage, scriptedPage } from "../load/article-pages.ts";
import type { BenchSite } from "../load/bench-site.ts";

/** A page of a site, with the paths that it links to. */
export interface ShapedPage {
  links?: readonly string[];
  /** Default: an article of about 40 kB. */
  kind?: "app" | "pdf" | "gone";
}

const ARTICLE_BYTES = 40_000;
const DIFFERENT = 40;

/** Serves pages by path, with a sitemap of some of them. */
export async function startShapedSite(
  pages: Readonly<Record<string, ShapedPage>>,
  sitemap?: readonly string[],
): Promise<BenchSite> {
  const numbers = new Map(Object.keys(pages).map((path, number) => [path, number]));
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    const send = (status: number, type: string, body: string | Buffer): void =>
      void response.writeHead(status, { "content-type": type }).end(body);
    if (path === "/sitemap.xml" && sitemap !== undefined) return send(200, "application/xml", listOf(sitemap));
    const [, data] = /^\/app-data\/(\d+)$/.exec(path) ?? [];
    if (data !== undefined) return send(200, "application/json", withoutLinks(scriptedPage(Number(data)).data));
    const page = pages[path];
    if (page === undefined || page.kind === "gone") return send(404, "text/plain", "No such page\n");
    const number = numbers.get(path) ?? 0;
    if (page.kind === "pdf") return send(200, "application/pdf", pdfOf(number));
    const html = page.kind === "app" ? scriptedPage(number).html : articleOf(number);
    return send(200, "text/html; charset=utf-8", html.replace("</body>", `${linksTo(page.links ?? [])}</body>`));
  });
  const listOf = (paths: readonly string[]): string => {
    const urls = paths.map((path) => `<url><loc>${origin}${path}</loc></url>`);
    return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("")}</urlset>`;
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const articles = new Map<number, string>();

/** Returns an article whose own links lead nowhere. */
function articleOf(number: number): string {
  const place = number % DIFFERENT;
  const html = articles.get(place) ?? withoutLinks(articlePage(place, ARTICLE_BYTES).html);
  articles.set(place, html);
  return html;
}

/** Takes the links out of an article: they would lead to pages that the site does not have. */
function withoutLinks(text: string): string {
  return text.replaceAll(/(<a\b[^>]*?)\bhref=/g, "$1data-target=");
}

/** One to five pages of text. */
function pdfOf(number: number): Buffer {
  const pages = Array.from({ length: 1 + (number % 5) }, (_, index) => ({
    heading: `Part ${index + 1}`,
    lines: ["The ferry runs at nine, at twelve and at five.", "On Sundays it rests."],
  }));
  return makeTextPdf(`Timetable ${number}`, pages);
}

function linksTo(paths: readonly string[]): string {
  return `<nav><ul>${paths.map((path) => `<li><a href="${path}">${path}</a></li>`).join("")}</ul></nav>`;
}
