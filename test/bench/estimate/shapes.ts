import { startSite } from "../../site/start-site.ts";
import type { BenchSite } from "../load/bench-site.ts";
import { startLinkedSite } from "../load/linked-site.ts";
import { startShapedSite, type ShapedPage } from "./shaped-site.ts";

/** A site, and a request whose estimate is compared with its outcome. */
export interface Shape {
  name: string;
  start(): Promise<BenchSite>;
  path: "/v2/crawl" | "/v2/batch/scrape";
  request(url: string): object;
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
type Pages = Record<string, ShapedPage>;

/** A shop with categories of products; half of the products also link to others. */
function shop(categories: number, products: number): Pages {
  const product = (category: number, number: number): string => `/products/${category}-${number}`;
  const pages: Pages = { "/": { links: range(categories).map((category) => `/categories/${category}`) } };
  for (const category of range(categories)) {
    const own = range(products).map((number) => product(category, number));
    pages[`/categories/${category}`] = { links: ["/", ...own] };
    for (const number of range(products)) {
      const related = [product((category + number) % categories, (number * 7) % products)];
      pages[product(category, number)] = {
        links: ["/", `/categories/${category}`, ...(number % 2 === 0 ? related : [])],
      };
    }
  }
  return pages;
}

/** A blog in numbered pages, each of which links to the next one and to the last. */
function blog(lists: number, posts: number): Pages {
  const list = (number: number): string => (number === 0 ? "/" : `/page/${number}`);
  const pages: Pages = {};
  for (const number of range(lists)) {
    const own = range(posts).map((post) => `/posts/${number * posts + post}`);
    const next = number + 1 < lists ? [list(number + 1)] : [];
    pages[list(number)] = { links: [...own, ...next, list(lists - 1)] };
    for (const path of own) pages[path] = { links: ["/"] };
  }
  return pages;
}

function chain(length: number): Pages {
  const path = (number: number): string => (number === 0 ? "/" : `/step/${number}`);
  return Object.fromEntries(
    range(length).map((number) => [path(number), { links: number + 1 < length ? [path(number + 1)] : [] }]),
  );
}

function star(count: number, kind?: ShapedPage["kind"]): Pages {
  const paths = range(count).map((number) => `/items/${number}${kind === "pdf" ? ".pdf" : ""}`);
  return {
    "/": { links: paths },
    ...Object.fromEntries(paths.map((path) => [path, kind === undefined ? {} : { kind }])),
  };
}

const testSite =
  (options: Parameters<typeof startSite>[0] = {}, path = "/") =>
  async (): Promise<BenchSite> => {
    const site = await startSite(options);
    return { url: `${site.url}${path}`, close: () => site.close() };
  };
const crawl = (name: string, start: Shape["start"], options: object = {}): Shape => ({
  name,
  start,
  path: "/v2/crawl",
  request: (url) => ({ url, ...options }),
});
const batch = (name: string, start: Shape["start"], body: (url: string) => object): Shape => ({
  name,
  start,
  path: "/v2/batch/scrape",
  request: body,
});

const SHOP = shop(8, 18);
const BLOG = blog(12, 10);
const whole = { sitemap: "skip", crawlEntireDomain: true };

/** The load site and the test site in ten shapes, and ten made-up sites. */
export const SHAPES: readonly Shape[] = [
  crawl("load site, 60 pages", () => startLinkedSite(60), { sitemap: "skip" }),
  crawl("load site, 200 pages", () => startLinkedSite(200), { sitemap: "skip" }),
  crawl("load site, limit 80", () => startLinkedSite(2_000), { sitemap: "skip", limit: 80 }),
  crawl("load site, depth 2", () => startLinkedSite(2_000), { sitemap: "skip", maxDiscoveryDepth: 2 }),
  crawl("test site, articles by path", testSite(), { includePaths: ["^/articles/"], limit: 40 }),
  crawl("test site, only its sitemap", testSite({ treePages: 60 }), { sitemap: "only" }),
  crawl("test site, documentation", testSite({}, "/docs/")),
  crawl("test site, tree without sitemap", testSite({ treePages: 220 }, "/tree/"), { sitemap: "skip" }),
  crawl("test site, tree by index of sitemaps", testSite({ sitemap: "index", treePages: 150 }, "/tree/"), { sitemap: "only" }), // prettier-ignore
  crawl("test site, maze, limit 60", testSite({ mazePages: 400 }, "/maze/"), { sitemap: "skip", limit: 60 }),
  crawl("shop, links", () => startShapedSite(SHOP), whole),
  crawl("shop, sitemap of every second page", () => startShapedSite(SHOP, Object.keys(SHOP).filter((_, index) => index % 2 === 0))), // prettier-ignore
  crawl("shop, without products", () => startShapedSite(SHOP), { ...whole, excludePaths: ["^/products/"] }),
  crawl("blog, numbered pages", () => startShapedSite(BLOG), whole),
  crawl("blog, sitemap, a tenth gone", () =>
    startShapedSite(
      Object.fromEntries(Object.entries(BLOG).map(([path, page], index) => [path, index % 10 === 9 ? { kind: "gone" as const } : page])),
      Object.keys(BLOG),
    ),
  ), // prettier-ignore
  crawl("chain of 30 pages", () => startShapedSite(chain(30)), whole),
  crawl("wide, 200 pages from one", () => startShapedSite(star(200)), whole),
  crawl("pages by scripts", () => startShapedSite(star(12, "app")), whole),
  crawl("PDFs", () => startShapedSite(star(30, "pdf")), whole),
  batch("batch with screenshots", () => startShapedSite(star(12)), (url) => ({
    urls: range(12).map((number) => `${url}items/${number}`),
    formats: ["screenshot"],
  })), // prettier-ignore
];
