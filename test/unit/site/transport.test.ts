import { connect } from "node:net";
import { gunzipSync, brotliDecompressSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { dataFolder } from "../../data-folder.ts";
import { ENCODING_PAGES } from "../../site/encoding-prose.ts";
import { startSite } from "../../site/start-site.ts";
import type { Site } from "../../site/start-site.ts";

const MEGABYTE = 1024 * 1024;

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());
beforeEach(() => site.reset());

const get = (path: string, init?: RequestInit) => fetch(`${site.url}${path}`, { redirect: "manual", ...init });

/** The answer's bytes as they travel, headers included; whatever came before the connection ended. */
function raw(path: string): Promise<{ head: string; body: Buffer; isReset: boolean }> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let isReset = false;
    const socket = connect(site.port, "127.0.0.1", () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
    });
    socket.on("data", (chunk) => chunks.push(Buffer.from(chunk)));
    socket.on("error", () => (isReset = true));
    socket.on("close", () => {
      const bytes = Buffer.concat(chunks);
      const split = bytes.indexOf("\r\n\r\n");
      resolve({ head: bytes.subarray(0, split).toString("latin1"), body: bytes.subarray(split + 4), isReset });
    });
  });
}

describe("redirects", () => {
  test("a chain of three ends at /final after three hops", async () => {
    const response = await fetch(`${site.url}/redirect/3?code=307`);
    expect(new URL(response.url).pathname).toBe("/final");
    expect(site.hits()).toEqual({ "/redirect/3": 1, "/redirect/2": 1, "/redirect/1": 1, "/final": 1 });
    expect((await get("/redirect/3?code=307")).status).toBe(307);
  });

  test.each([
    { path: "/redirect", location: "/final" },
    { path: "/redirect-relative/here", location: "../final?from=relative" },
    { path: "/redirect-to?url=ftp://x.example/", location: "ftp://x.example/" },
    { path: "/redirect-file", location: "file:///etc/passwd" },
    { path: "/redirect-private", location: "http://169.254.169.254/harrow-bay-probe" },
    { path: "/redirect-loop", location: "/redirect-loop/back" },
    { path: "/redirect-nowhere", location: null },
  ])("$path leads to $location", async ({ path, location }) => {
    const response = await get(path);
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe(location);
  });

  test.each([
    { code: 301, method: "GET" },
    { code: 302, method: "GET" },
    { code: 303, method: "GET" },
    { code: 307, method: "POST" },
    { code: 308, method: "POST" },
  ])("a POST redirected with $code arrives as $method", async ({ code, method }) => {
    const response = await fetch(`${site.url}/redirect-code/${code}`, { method: "POST", body: "cargo" });
    expect(await response.json()).toMatchObject({ method, body: method === "POST" ? "cargo" : "" });
  });

  test("a redirect reaches the second origin, which sees what came along", async () => {
    const init = { headers: { authorization: "Bearer secret" } };
    const response = await fetch(`${site.url}/redirect-other`, init);
    expect(new URL(response.url).origin).toBe(site.otherUrl);
    expect(site.lastRequest("/redirect-other")?.headers.authorization).toBe("Bearer secret");
    expect(site.lastRequest("/echo.json")).toMatchObject({ host: new URL(site.otherUrl).host });
    expect(site.lastRequest("/echo.json")?.headers.authorization).toBeUndefined();
    const byName = await get("/redirect-other?host=localhost&to=/final");
    expect(byName.headers.get("location")).toBe(`http://localhost:${site.otherPort}/final`);
  });

  test("the cookie loop ends once the cookie comes back", async () => {
    const first = await get("/redirect-cookie-loop");
    expect(first.headers.get("location")).toBe("/redirect-cookie-loop");
    const cookie = first.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect((await get("/redirect-cookie-loop", { headers: { cookie } })).status).toBe(200);
  });

  test("the raw UTF-8 Location is sent as bytes", async () => {
    const { head } = await raw("/redirect-unicode");
    expect(Buffer.from(head, "latin1").toString("utf8")).toContain("Location: /café");
  });
});

describe("breakage", () => {
  test("fails as often as asked for a key, then recovers", async () => {
    const statuses = [];
    for (let load = 0; load < 4; load += 1) statuses.push((await get("/flaky?key=a&fails=2")).status);
    expect(statuses).toEqual([500, 500, 200, 200]);
    expect((await get("/flaky?key=b&fails=1")).status).toBe(500);
  });

  test("limits the rate once, with Retry-After", async () => {
    const first = await get("/rate-limited?key=a&after=7");
    expect([first.status, first.headers.get("retry-after")]).toEqual([429, "7"]);
    expect((await get("/rate-limited?key=a&after=7")).status).toBe(200);
  });

  test("resets the connection before and after the headers", async () => {
    expect(await raw("/reset")).toMatchObject({ isReset: true, body: Buffer.alloc(0) });
    await expect(get("/reset?after=headers").then((response) => response.text())).rejects.toThrow();
    await expect(get("/flaky-reset?key=a")).rejects.toThrow();
    expect((await get("/flaky-reset?key=a")).status).toBe(200);
  });

  test("ends before the promised length", async () => {
    const { head, body } = await raw("/truncated");
    expect(head).toContain("Content-Length: 100000");
    expect(body.length).toBeLessThan(10_000);
    expect(body.toString()).toContain("You have arrived");
  });

  test("stalls in the middle of the body", async () => {
    const reader = (await get("/stall")).body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toContain("<!doctype html>");
    const next = await Promise.race([reader?.read(), new Promise((resolve) => setTimeout(resolve, 100, "nothing"))]);
    expect(next).toBe("nothing");
    await reader?.cancel();
  });

  test("drips a page in pieces", async () => {
    const body = await (await get("/drip?n=4&ms=20")).text();
    expect(body.match(/Drop \d of 4/g)).toHaveLength(4);
    expect(body).toContain("</html>");
  });

  test.each([204, 205, 304])("status %i comes without a body", async (status) => {
    const { head, body } = await raw(`/status/${status}`);
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(body.toString().replace("0\r\n\r\n", "")).toBe("");
  });
});

describe("types and sizes", () => {
  test.each([
    { name: "html-as-binary", type: "application/octet-stream", start: "<!doctype" },
    { name: "html-without", type: null, start: "<!doctype" },
    { name: "pdf-as-html", type: "text/html", start: "%PDF-1.4" },
    { name: "png-as-html", type: "text/html", start: "\x89PNG" },
    { name: "json-as-html", type: "text/html", start: "{" },
    { name: "xhtml", type: "application/xhtml+xml; charset=utf-8", start: "<?xml" },
  ])("/type/$name is called $type", async ({ name, type, start }) => {
    const response = await get(`/type/${name}`);
    expect(response.headers.get("content-type")).toBe(type);
    expect(
      Buffer.from(await response.arrayBuffer())
        .toString("latin1")
        .startsWith(start),
    ).toBe(true);
  });

  test("a huge page has exactly the size asked for", async () => {
    const response = await get("/huge?mb=3&length=1");
    expect(response.headers.get("content-length")).toBe(String(3 * MEGABYTE));
    expect((await response.arrayBuffer()).byteLength).toBe(3 * MEGABYTE);
    expect((await (await get("/huge?mb=2")).arrayBuffer()).byteLength).toBe(2 * MEGABYTE);
  });

  test("an endless page ends when the reader leaves", async () => {
    const reader = (await get("/endless")).body?.getReader();
    let bytes = 0;
    while (bytes < MEGABYTE) bytes += (await reader?.read())?.value?.byteLength ?? 0;
    await reader?.cancel();
    expect(bytes).toBeGreaterThanOrEqual(MEGABYTE);
  });

  test("nests as deeply, links as much and runs on as long as asked", async () => {
    const deep = await (await get("/deep")).text();
    expect(deep.match(/<div>/g)).toHaveLength(50_000);
    expect((await (await get("/many-links?n=500")).text()).match(/<li><a href="\/tree\//g)).toHaveLength(500);
    const longest = (await (await get("/long-line?mb=1")).text()).split("\n").map((line) => line.length);
    expect(Math.max(...longest)).toBeGreaterThan(MEGABYTE - 100);
  });

  test("an empty page is empty, and a chunked one whole", async () => {
    expect(await (await get("/empty")).text()).toBe("");
    const chunked = await get("/chunked");
    expect(chunked.headers.get("content-length")).toBeNull();
    expect(await chunked.text()).toBe(await (await get("/final")).text());
  });
});

describe("compression", () => {
  test.each(["gzip", "br", "deflate", "zstd", "double"])("%s unfolds to the article", async (name) => {
    expect(await (await get(`/compressed/${name}`)).text()).toContain("A seagrass seed is the size");
  });

  test.each(["liar", "cut"])("%s does not unfold", async (name) => {
    expect(() => gunzipSync(Buffer.from(bodyOf[name] ?? ""))).toThrow();
  });
  const bodyOf: Record<string, Buffer> = {};
  beforeAll(async () => {
    for (const name of ["liar", "cut"]) bodyOf[name] = (await raw(`/compressed/${name}`)).body;
  });

  test("the gzip bomb is about a megabyte and says that it unfolds to a gigabyte", async () => {
    const { body, head } = await raw("/bomb");
    expect(body.length).toBeLessThan(1.1 * MEGABYTE);
    expect(body.readUInt32LE(body.length - 4)).toBeGreaterThan(1024 * MEGABYTE);
    expect(head).toContain(`X-Unfolded-Bytes: ${body.readUInt32LE(body.length - 4)}`);
  });

  test("a smaller gzip bomb of the same make unfolds to what it says, checksum included", async () => {
    const { body } = await raw("/bomb?mb=16");
    const page = gunzipSync(body);
    expect(page.length).toBe(body.readUInt32LE(body.length - 4));
    expect(page.length).toBeGreaterThan(16 * MEGABYTE);
    expect(page.toString("latin1", 0, 15)).toBe("<!doctype html>");
  });

  test("the brotli bomb grows a thousandfold and more", async () => {
    const { body } = await raw("/bomb-br?mb=16");
    expect(brotliDecompressSync(body).length).toBeGreaterThan(1_000 * body.length);
  });
});

describe("encodings", () => {
  const cases = Object.entries(ENCODING_PAGES).map(([name, { charset, prose }]) => ({ name, charset, prose }));

  test.each(cases)("$name decodes to its prose", async ({ name, charset, prose }) => {
    const response = await get(`/encoding/${name}?declare=header`);
    expect(response.headers.get("content-type")).toBe(`text/html; charset=${charset}`);
    const decoded = new TextDecoder(charset).decode(await response.arrayBuffer());
    for (const paragraph of prose.paragraphs) expect(decoded).toContain(paragraph);
    expect(decoded).not.toContain("<meta");
  });

  test.each([
    { declare: "meta", type: "text/html", meta: '<meta charset="EUC-KR">' },
    { declare: "both", type: "text/html; charset=EUC-KR", meta: '<meta charset="EUC-KR">' },
    { declare: "none", type: "text/html", meta: "" },
    { declare: "wrong", type: "text/html; charset=utf-8", meta: "" },
    { declare: "wrong-meta", type: "text/html; charset=EUC-KR", meta: '<meta charset="utf-8">' },
  ])("$declare declares where it says", async ({ declare, type, meta }) => {
    const response = await get(`/encoding/euc-kr?declare=${declare}`);
    expect(response.headers.get("content-type")).toBe(type);
    const head = new TextDecoder("euc-kr").decode(await response.arrayBuffer()).split("<title>")[0] ?? "";
    expect(/<meta[^>]*>/.exec(head)?.[0] ?? "").toBe(meta);
  });

  test("an old page declares itself with http-equiv", async () => {
    const html = await (await get("/encoding/big5?declare=meta&old=1")).text();
    expect(html).toContain('<meta http-equiv="Content-Type" content="text/html; charset=Big5">');
  });

  test.each([
    { name: "utf-8-bom", mark: [0xef, 0xbb, 0xbf] },
    { name: "utf-16le-bom", mark: [0xff, 0xfe] },
    { name: "utf-16be-bom", mark: [0xfe, 0xff] },
    { name: "utf-16le", mark: [0x3c, 0x00] },
  ])("$name begins with the bytes $mark", async ({ name, mark }) => {
    const bytes = new Uint8Array(await (await get(`/encoding/${name}?declare=none`)).arrayBuffer());
    expect(Array.from(bytes.subarray(0, mark.length))).toEqual(mark);
  });

  test("/sjis.html is Shift_JIS that only its meta element declares", async () => {
    const response = await get("/sjis.html");
    expect(response.headers.get("content-type")).toBe("text/html");
    expect(new TextDecoder("shift_jis").decode(await response.arrayBuffer())).toContain("港町の朝は早い");
  });
});

describe("documents", () => {
  test("the PDF's cross-reference table points at its objects", async () => {
    const pdf = Buffer.from(await (await get("/example.pdf")).arrayBuffer()).toString("latin1");
    const start = Number(/startxref\n(\d+)/.exec(pdf)?.[1]);
    expect(pdf.slice(start, start + 4)).toBe("xref");
    const offsets = [...pdf.slice(start).matchAll(/^(\d{10}) 00000 n /gm)].map((match) => Number(match[1]));
    offsets.forEach((offset, index) => expect(pdf.slice(offset)).toMatch(new RegExp(`^${index + 1} 0 obj`)));
    expect(pdf.match(/\/Type \/Page /g)).toHaveLength(3);
    expect(pdf).toContain("(Costs and funding) Tj");
  });

  test("the scanned PDF holds a picture and no text", async () => {
    const pdf = await (await get("/scanned.pdf")).text();
    expect(pdf).toContain("/Subtype /Image");
    expect(pdf).not.toContain(" Tj");
  });

  test("serves every document fixture, and nothing outside their folder", async () => {
    const fixtures = dataFolder("test/fixtures/documents").names();
    const names = fixtures.filter((name) => !name.endsWith(".mjs"));
    const statuses = await Promise.all(
      names.map(async (name) => (await get(`/documents/${encodeURIComponent(name)}`)).status),
    );
    expect(statuses).toEqual(names.map(() => 200));
    expect((await get("/documents/..%2F..%2Fvitest.config.ts")).status).toBe(404);
  });
});
