import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PROJECT_ROOT } from "../../src/tools/service/wrangler.ts";
import { inject } from "./inject.ts";
import { expectAccessible } from "./accessible.ts";
import { closeContexts } from "./local-browser.ts";
import { newReader, PHONE } from "./ui/browser.ts";
import { shortAndLong } from "../sample.ts";

const run = promisify(execFile);
const DOCS = join(PROJECT_ROOT, "src", "docs");
const docFiles = globSync("**/*.md", { cwd: DOCS });

const get = (path: string): Promise<Response> => fetch(`${inject("serviceUrl")}${path}`, { redirect: "manual" });

interface Reply {
  success?: boolean;
  error?: unknown;
  id?: unknown;
  jsonrpc?: string;
  data?: { id?: string; metadata?: { scrapeId?: string } };
}

describe("the pages of /docs/", () => {
  test.each(docFiles)("%s is served with a strict policy", async (file) => {
    const name = file === "index.md" ? "" : basename(file, ".md");
    const response = await get(`/docs/${name}`);
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("content-security-policy")).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    );
    const title = /^# (.*)$/m.exec(await readFile(join(DOCS, file), "utf8"))?.[1] ?? "";
    expect(html).toContain(title.replaceAll("&", "&amp;"));
    expect(html).not.toMatch(/<script(?! src="\/docs\/docs\.js")| style=|https?:\/\/[^"]*\.(?:js|css)"/);
  });

  test("links, script, style sheet and search index are there", async () => {
    const html = await (await get("/docs/scrape")).text();
    const paths = [...html.matchAll(/(?:href|src)="(\/docs[^"#]*)/g)].map(([, path = ""]) => path);
    const statuses = await Promise.all([...new Set(paths)].map(async (path) => [path, (await get(path)).status]));
    expect(statuses.length).toBeGreaterThan(docFiles.length);
    expect(statuses.filter(([, status]) => status !== 200)).toEqual([]);
    const entries = (await (await get("/docs/search.json")).json()) as { name: string; text: string }[];
    expect(entries.filter(({ text }) => text.includes("Standard Webhooks")).map(({ name }) => name)).toContain(
      "webhooks",
    );
  });

  test("the reference and the pages link to each other", async () => {
    expect(await (await get("/docs")).text()).toContain('<a href="/docs/">');
    expect(await (await get("/docs/")).text()).toContain('<a href="/docs">');
  });

  test("an unknown page is refused as everywhere", async () => {
    const response = await get("/docs/nothing");
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ success: false });
  });
});

describe("in a browser", () => {
  afterAll(closeContexts);

  test("the search finds a section and leads to it", async () => {
    const { page, complaints, close } = await newReader();
    try {
      await page.goto(`${inject("serviceUrl")}/docs/`);
      await page.getByRole("searchbox", { name: "Search" }).fill("reverse proxy");
      await page.getByRole("heading", { name: /^Results for/ }).waitFor();
      await expectAccessible(page);
      await page.getByRole("link", { name: "Operation: Reverse proxy and TLS" }).click();
      await page.getByRole("heading", { name: "Reverse proxy and TLS" }).waitFor();
      expect(new URL(page.url()).pathname).toBe("/docs/operation");
      expect(complaints).toEqual([]);
    } finally {
      await close();
    }
  });

  test("a phone shows the text in its width, with the contents closed", { tags: ["long"] }, async () => {
    const { page, complaints, close } = await newReader();
    try {
      await page.setViewportSize(PHONE);
      await page.goto(`${inject("serviceUrl")}/docs/errors`);
      await expect.poll(() => page.getByRole("navigation").isVisible()).toBe(false);
      await expectAccessible(page);
      await page.emulateMedia({ colorScheme: "dark" });
      await expectAccessible(page);
      expect(complaints).toEqual([]);
    } finally {
      await close();
    }
  });
});

/** Blocks that are marked `bash`, in the order of the document. */
async function commandsOf(path: string): Promise<string[]> {
  const text = await readFile(path, "utf8");
  return [...text.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, block = ""]) => block);
}

/** Documents whose commands start browsers and crawls, which other tests do with these endpoints in the same way. */
const COSTLY = /endpoints\/(?:agent|browser-sessions|crawl|deep-research|extract|map|scrape)\.md$/;

describe("the commands of the documents", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "docs-"));
  });
  afterAll(async () => await rm(folder, { recursive: true }));

  const paths = [join(PROJECT_ROOT, "README.md"), ...docFiles.map((name) => join(DOCS, name))];
  const named = paths.map((path) => ({ path, name: path.slice(PROJECT_ROOT.length + 1) }));
  for (const { tags, entries } of shortAndLong(named, ({ name }) => !COSTLY.test(name)))
    test.each(entries)("of $name work", { tags, timeout: 60_000 }, async ({ path }) => {
      const env: Record<string, string> = {
        PATH: process.env["PATH"] ?? "",
        API_KEY: inject("apiKey"),
        ADMIN_KEY: inject("adminKey"),
      };
      for (const command of await commandsOf(path)) {
        const reply = await replyTo(command, { folder, env });
        expect(reply, command).not.toMatchObject({ success: false });
        expect(reply.error, command).toBeUndefined();
        rememberIds(env, command, reply);
      }
    });
});

async function replyTo(
  command: string,
  { folder, env }: { folder: string; env: Record<string, string> },
): Promise<Reply> {
  const local = command
    .replaceAll("http://127.0.0.1:8787", inject("serviceUrl"))
    .replaceAll("https://example.com", inject("siteUrl"))
    .replaceAll(/^curl /gm, "curl -sS ");
  const { stdout } = await run("bash", ["--norc", "-e", "-c", local], { cwd: folder, env });
  return JSON.parse(/^data: (.*)$/m.exec(stdout)?.[1] ?? stdout) as Reply;
}

/** The ids that later commands of the document use. */
function rememberIds(env: Record<string, string>, command: string, { id, jsonrpc, data }: Reply): void {
  const found = jsonrpc === undefined ? (id ?? data?.id) : undefined;
  if (typeof found === "string") {
    env["ID"] = found;
    if (command.includes("/v2/browser \\")) env["SESSION_ID"] = found;
    if (command.includes("/v2/monitor \\")) env["MONITOR_ID"] = found;
  }
  const scrapeId = data?.metadata?.scrapeId;
  if (scrapeId !== undefined) env["SCRAPE_ID"] = scrapeId;
}
