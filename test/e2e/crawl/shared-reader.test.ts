import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sandboxProcesses } from "../sessions/sandbox-processes.ts";
import { startService, type TestService } from "../service.ts";
import { soon } from "../soon.ts";
import { call } from "../client.ts";
import { shortAndLong } from "../../sample.ts";

/** A busy service has a second process read pages of moderate size. Whatever happens to that process, no page is lost. */
const PAGES = 24;

let service: TestService;
let site: Server;
let siteUrl: string;

beforeAll(async () => {
  site = createServer(({ url = "/" }, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(article(url));
  });
  await new Promise<void>((listening) => site.listen(0, "127.0.0.1", listening));
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  service = await startService();
});
afterAll(async () => {
  await service?.stop();
  site.closeAllConnections();
  site.close();
});

function article(path: string): string {
  const paragraphs = Array.from({ length: 400 }, (_, index) => {
    const words = `The tea of harvest ${index} on ${path} is dried for ${index + 3} hours, rolled by hand and packed.`;
    return `<p>${words} <a href="/notes/${index}">Note ${index}</a> tells how it <em>tastes</em>.</p>`;
  });
  return `<!doctype html><html lang="en"><head><title>Tea ${path}</title></head><body><nav><a href="/">Home</a></nav>
<main><article><h1>Tea ${path}</h1>${paragraphs.join("\n")}</article></main></body></html>`;
}

/** The processes of the sandbox host that read pages for the busy service. */
function readers(): number[] {
  return sandboxProcesses(process.pid).filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("reader.sock"),
  );
}

interface Batch {
  status: string;
  completed: number;
  data: { markdown?: string; metadata: { sourceURL?: string; error?: string } }[];
}

/** Scrapes all pages; `during` runs when a few are done. @returns the markdown by path */
async function scrapeAll(round: string, during?: () => void): Promise<Map<string, string>> {
  const urls = Array.from({ length: PAGES }, (_, index) => `${siteUrl}/${round}/${index}`);
  const started = await call("/v2/batch/scrape", { service, body: { urls, maxAge: 0 } });
  const path = `/v2/batch/scrape/${(started.body as unknown as { id: string }).id}`;
  const read = async (): Promise<Batch> => (await call(path, { service })).body as unknown as Batch;
  if (during !== undefined) {
    await soon(async () => (await read()).completed).toBeGreaterThan(0);
    during();
  }
  await soon(async () => (await read()).status).toBe("completed");
  const { data } = await read();
  return new Map(data.map(({ markdown = "", metadata }) => [new URL(metadata.sourceURL ?? "").pathname, markdown]));
}

function expectAll(round: string, texts: Map<string, string>): void {
  expect(texts.size).toBe(PAGES);
  for (const [path, text] of texts) {
    expect(path.startsWith(`/${round}/`)).toBe(true);
    expect(text).toContain(`The tea of harvest 399 on ${path} is dried`);
  }
}

test(
  "one page alone is read by the service itself; the pages of a batch give the same text",
  { tags: ["long"] },
  async () => {
    const alone = await call("/v2/scrape", { service, body: { url: `${siteUrl}/a/0`, maxAge: 0 } });
    expect(readers()).toEqual([]);
    expectAll("a", await scrapeAll("a"));
    await soon(readers).toHaveLength(1);
    const again = await scrapeAll("a");
    expectAll("a", again);
    expect(again.get("/a/0")).toBe(alone.body.data.markdown);
  },
);

for (const { tags, entries } of shortAndLong(["SIGKILL", "SIGSTOP"] as const, (signal) => signal === "SIGKILL"))
  test.each(entries)("no page is lost when the process gets %s", { tags }, async (signal) => {
    await scrapeAll("b");
    await soon(readers).toHaveLength(1);
    const [first = fail()] = readers();
    expectAll("c", await scrapeAll("c", () => process.kill(first, signal)));
    // One that hangs is ended.
    await soon(readers).not.toContain(first);
  });

function fail(): never {
  return expect.fail("There is no process");
}
