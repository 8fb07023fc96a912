import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { dataFolder } from "../../data-folder.ts";
import { PRODUCTS } from "../../site/products.ts";
import { ACCOUNT } from "../../site/routes/accounts.ts";
import { routes } from "../../site/routes/index.ts";
import { startSite } from "../../site/start-site.ts";
import type { Site } from "../../site/start-site.ts";

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());
beforeEach(() => site.reset());

const get = (path: string, init?: RequestInit) => fetch(`${site.url}${path}`, { redirect: "manual", ...init });
const text = async (path: string) => (await get(path)).text();

function linksOf(html: string): string[] {
  return [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map((match) => match[1] ?? "");
}

describe("counting", () => {
  test("counts requests by path without the query, on both origins", async () => {
    await get("/final?a=1");
    await get("/final?a=2");
    await fetch(`${site.otherUrl}/final`);
    expect(site.hits("/final")).toBe(3);
    expect(site.hits()).toEqual({ "/final": 3 });
    expect(site.requests().map(({ target }) => target)).toEqual(["/final?a=1", "/final?a=2", "/final"]);
  });

  test("keeps the headers of the last request to a path", async () => {
    await get("/final", { headers: { "X-Tide": "ebb" } });
    await get("/final", { headers: { "X-Tide": "flow" } });
    expect(site.lastRequest("/final")).toMatchObject({ method: "GET", headers: { "x-tide": "flow" } });
    expect(site.lastRequest("/tables")).toBeUndefined();
  });

  test("tells and forgets over HTTP as well", async () => {
    await get("/tables");
    expect(await (await get("/__hits")).json()).toEqual({ "/tables": 1 });
    expect(await (await get("/__hits?path=/tables")).json()).toBe(1);
    expect(await (await get("/__requests?path=/tables")).json()).toMatchObject({ target: "/tables" });
    await get("/__reset");
    expect(site.hits()).toEqual({});
  });

  test("two sites do not see each other's requests", async () => {
    const second = await startSite({ treePages: 3 });
    await fetch(`${second.url}/final`);
    await second.close();
    expect([site.hits("/final"), second.hits("/final")]).toEqual([0, 1]);
  });

  test("a closed site frees its port, with requests still waiting", async () => {
    const second = await startSite();
    const waiting = Promise.allSettled([fetch(`${second.url}/hang`), fetch(`${second.url}/slow?ms=60000`)]);
    while (second.hits("/hang") + second.hits("/slow") < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await second.close();
    expect((await waiting).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    const third = await startSite({ port: second.port });
    expect(third.port).toBe(second.port);
    await third.close();
  });
});

describe("the list of routes", () => {
  test("/__routes names every route", async () => {
    const list = await text("/__routes");
    for (const { path } of routes.slice(0, -1)) expect(list).toContain(`${path} `);
  });

  test("the comment of start-site.ts names every route", () => {
    const source = dataFolder("test/site").text("start-site.ts");
    const comment = source.slice(0, source.indexOf("*/\n\nimport"));
    const named = comment.replace(/(\S*)\{([^}]+)\}(\S*)/g, (_, before: string, names: string, after: string) =>
      names
        .split(",")
        .map((name) => `${before}${name}${after}`)
        .join(" "),
    );
    const words = new Set(named.split(/\s+/));
    expect(routes.map(({ path }) => path).filter((path) => !words.has(path))).toEqual([]);
  });

  test("an unknown path is a plain 404", async () => {
    expect((await get("/no/such/place")).status).toBe(404);
  });
});

describe("pages", () => {
  test("the index links to at least twelve pages of the site, and all of them answer", async () => {
    const links = linksOf(await text("/")).filter((link) => link.startsWith("/"));
    const statuses = await Promise.all([...new Set(links)].map(async (link) => (await get(link)).status));
    expect(statuses.length).toBeGreaterThanOrEqual(12);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test.each(routes.map(({ path }) => path).filter((path) => /^\/(articles|docs|forum|app)\/[\w-]*$/.test(path)))(
    "%s is an HTML page with a title and no unfilled blank",
    async (path) => {
      const response = await get(path);
      const html = await response.text();
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(html).toMatch(/<title>[^<]+<\/title>/);
      expect(html).not.toContain("{{");
    },
  );

  test("the shop lists every product over its pages, and each has JSON-LD with its price", async () => {
    const listings = `${await text("/shop")}${await text("/shop?page=2")}`;
    for (const { slug, price } of PRODUCTS) {
      expect(listings).toContain(`/shop/${slug}`);
      const json = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(await text(`/shop/${slug}`))?.[1] ?? "";
      expect(JSON.parse(json)).toMatchObject({
        "@type": "Product",
        sku: slug,
        offers: { price, priceCurrency: "GBP" },
      });
    }
    expect(PRODUCTS.length).toBeGreaterThanOrEqual(12);
    expect((await get("/shop/submarine")).status).toBe(404);
  });

  test("every page of a tree can be reached from its root, and none beyond it", async () => {
    const small = await startSite({ treePages: 60 });
    const seen = new Set(["/tree/"]);
    for (const path of seen) {
      const response = await fetch(`${small.url}${path}`);
      expect(response.status).toBe(200);
      for (const link of linksOf(await response.text())) {
        if (link.startsWith("/tree/")) seen.add(link.replace(/#.*/, ""));
      }
    }
    const beyond = await fetch(`${small.url}/tree/60`);
    await small.close();
    expect(seen.size).toBe(60);
    expect(beyond.status).toBe(404);
  });

  test("a tree page is the same each time", async () => {
    expect(await text("/tree/777")).toBe(await text("/tree/777"));
    expect((await get("/tree/1999")).status).toBe(200);
    expect((await get("/tree/2000")).status).toBe(404);
  });

  test("the sign-in sets a cookie that opens the account", async () => {
    expect((await get("/account")).headers.get("location")).toBe("/login");
    const wrong = await get("/login", { method: "POST", body: new URLSearchParams({ user: "x", password: "y" }) });
    expect(wrong.status).toBe(401);
    const right = await get("/login", { method: "POST", body: new URLSearchParams(ACCOUNT) });
    const cookie = right.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect(right.status).toBe(303);
    expect(await (await get("/account", { headers: { cookie } })).text()).toContain("Berth 17");
  });

  test("a form shows what was posted, made safe", async () => {
    const body = new URLSearchParams({ name: "<b>Noor</b>", what: "loose plank" });
    const html = await (await get("/form/submit", { method: "POST", body })).text();
    expect(html).toContain("loose plank");
    expect(html).not.toContain("<b>Noor</b>");
  });

  test("the echo gives method, query, headers and body back", async () => {
    const response = await get("/echo.json?q=1", { method: "POST", headers: { "X-Tide": "ebb" }, body: "hello" });
    const seen = { method: "POST", query: { q: "1" }, headers: { "x-tide": "ebb" }, body: "hello" };
    expect(await response.json()).toMatchObject(seen);
  });

  test("the price list changes when it was told to", async () => {
    const loads = [];
    for (let load = 0; load < 4; load += 1) loads.push(await text("/changing?key=t&hold=2"));
    expect(loads[0]).toBe(loads[1]);
    expect(loads[1]).not.toBe(loads[2]);
    expect(loads[2]).toBe(loads[3]);
  });

  test("a link-local address is named only where a test asks for it", async () => {
    expect(await text("/app/private-fetch")).not.toContain("169.254");
    expect(await text("/app/private-fetch?link-local=1")).toContain("http://169.254.169.254/harrow-bay-probe/fetch");
  });
});

describe("walls", () => {
  test.each([
    { path: "/bot-wall", status: 403, says: "Checking your browser" },
    { path: "/bot-wall/503", status: 503, says: "DDoS protection by" },
    { path: "/bot-wall/200", status: 200, says: "Checking your browser" },
    { path: "/captcha", status: 429, says: "Verify you are human" },
    { path: "/access-denied", status: 403, says: "You don't have permission" },
    { path: "/login-wall", status: 200, says: "You must log in to continue" },
    { path: "/soft-404", status: 200, says: "Page not found" },
    { path: "/soft-404/any/name", status: 200, says: "Page not found" },
    { path: "/missing", status: 404, says: "Page not found" },
    { path: "/gone", status: 410, says: "Gone for good" },
    { path: "/server-error", status: 500, says: "boathook" },
    { path: "/status/404", status: 404, says: "404 Not Found" },
    { path: "/unavailable", status: 503, says: "Back shortly" },
    { path: "/consent", status: 200, says: "We value your privacy" },
  ])("$path answers $status", async ({ path, status, says }) => {
    const response = await get(path);
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(says);
  });

  test("the passable challenge lets the cookie of its script through", async () => {
    expect((await get("/bot-wall/passable")).status).toBe(403);
    const passed = await get("/bot-wall/passable", { headers: { cookie: "gate_clearance=ok" } });
    expect(await passed.text()).toContain("seagrass seed");
  });

  test("the picky page opens to a browser's user agent only", async () => {
    expect((await get("/browser-only", { headers: { "user-agent": "curl/8" } })).status).toBe(403);
    expect((await get("/browser-only", { headers: { "user-agent": "Mozilla/5.0 Chrome/130" } })).status).toBe(200);
  });
});

describe("robots and sitemaps", () => {
  test("robots.txt begins with a byte order mark and disallows one path", async () => {
    const bytes = new Uint8Array(await (await get("/robots.txt")).arrayBuffer());
    expect(Array.from(bytes.subarray(0, 3))).toEqual([0xef, 0xbb, 0xbf]);
    expect(new TextDecoder().decode(bytes)).toContain("disallow :   /private/");
  });

  test.each([
    { robots: "missing", status: 404, says: "no such file" },
    { robots: "error", status: 503, says: "not now" },
    { robots: "disallow-all", status: 200, says: "Disallow: /\n" },
  ] as const)("robots.txt can be $robots", async ({ robots, status, says }) => {
    const other = await startSite({ robots });
    const response = await fetch(`${other.url}/robots.txt`);
    const body = await response.text();
    await other.close();
    expect(response.status).toBe(status);
    expect(body).toContain(says);
  });

  test.each([
    { sitemap: "missing", status: 404, says: "no such file" },
    { sitemap: "index", status: 200, says: "<sitemapindex" },
    { sitemap: "broken", status: 200, says: "page=2&all=1" },
    { sitemap: "normal", status: 200, says: "/sitemap-only</loc>" },
  ] as const)("sitemap.xml can be $sitemap", async ({ sitemap, status, says }) => {
    const other = await startSite({ sitemap });
    const response = await fetch(`${other.url}/sitemap.xml`);
    const body = await response.text();
    await other.close();
    expect(response.status).toBe(status);
    expect(body).toContain(says);
  });

  test("the compressed sitemap names every page of the tree", async () => {
    const stream = (await get("/sitemap-tree.xml.gz")).body?.pipeThrough(new DecompressionStream("gzip"));
    const xml = await new Response(stream).text();
    expect(xml.match(/<loc>/g)).toHaveLength(2_000);
    expect(xml).toContain(`${site.url}/tree/1999</loc>`);
  });
});
