import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fresh, sitePage } from "../client.ts";
import { runCli, type Printed } from "./programs.ts";
import { shortAndLong } from "../../sample.ts";

/** Browser and interact commands are in `session-clients.test.ts`. */
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "orbweaver-cli-"));
  await writeFile(join(home, "log.html"), "<title>Log</title><article><h1>Log</h1><p>The bell rang.</p></article>");
});
afterAll(() => rm(home, { recursive: true, force: true }));

const JOB_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const TITLE_SCHEMA = JSON.stringify({ type: "object", properties: { title: { type: "string" } } });
const ASK = "How many seeds are lying on the flats south of the mole?";

/** What a command prints when it must succeed. */
async function cli(...words: string[]): Promise<Printed> {
  const printed = await runCli(words, home);
  expect(printed.code, `${words.join(" ")}: ${printed.stderr}${printed.stdout}`).toBe(0);
  return printed;
}

/** The id that a command prints for what it started. */
async function started(...words: string[]): Promise<string> {
  const { stdout, stderr } = await cli(...words);
  return JOB_ID.exec(`${stdout}${stderr}`)?.[0] ?? `no id in ${stdout}${stderr}`;
}

describe("the published command line program", () => {
  for (const { tags, entries } of shortAndLong<{ words: string[]; prints: RegExp }>(
    [
      { words: ["scrape", "/final"], prints: /^# You have arrived/m },
      { words: ["scrape", "/final", "--only-main-content", "-H"], prints: /<h1/ },
      { words: ["scrape", "/final", "-f", "markdown,links", "--json"], prints: /"links": ?\[/ },
      { words: ["scrape", "/articles/seagrass", "-Q", ASK], prints: /two hundred thousand/ },
      {
        words: ["scrape", "/articles/seagrass", "-f", "json", "--schema", TITLE_SCHEMA, "--json"],
        prints: /"title": ?"Sowing a meadow/,
      },
      { words: ["scrape", "/final", "--screenshot", "--json"], prints: /"screenshot": ?"https?:/ },
      { words: ["scrape", "/articles/seagrass", "-S"], prints: /seagrass/i },
      {
        words: ["scrape", "/final", "--actions", '[{"type":"wait","milliseconds":50}]', "--wait-for", "50"],
        prints: /You have arrived/,
      },
      { words: ["map", "/", "--limit", "5"], prints: /^(?:http\S+\n?){5}$/ },
      { words: ["map", "/", "--search", "seagrass", "--json"], prints: /articles\/seagrass/ },
      { words: ["search", "seagrass", "--limit", "2", "--json"], prints: /articles\/seagrass/ },
      { words: ["search", "seagrass", "--limit", "1", "--scrape"], prints: /articles\/seagrass/ },
      {
        words: ["crawl", "/", "--limit", "2", "--wait", "--poll-interval", "1"],
        prints: /"completed"|Status: completed/i,
      },
      { words: ["parse", "log.html"], prints: /The bell rang\./ },
      { words: ["parse", "log.html", "-f", "markdown,links", "--json"], prints: /"links"/ },
      { words: ["credit-usage"], prints: /\d/ },
      { words: ["credit-usage", "--json"], prints: /"remainingCredits": ?\d/ },
      { words: ["--status"], prints: /Concurrency:\S* \d+\/\d+ jobs/ },
      { words: ["doctor"], prints: /credits|API/i },
      { words: ["browser", "list"], prints: /session|[0-9a-f]{8}-/i },
    ],
    ({ words }) => /^scrape .*markdown,links|^crawl|^parse log.html$|^doctor/.test(words.join(" ")),
  ))
    test.each(entries)("does $words", { tags }, async ({ words, prints }) => {
      const { stdout } = await cli(...words.map(sitePage));
      expect(stdout).toMatch(prints);
    });

  test("starts a crawl, reads it and cancels it", { tags: ["long"] }, async () => {
    const id = await started("crawl", sitePage("/tree/"), "--limit", "50", "--sitemap", "skip", "--delay", "1");
    expect(id).toMatch(JOB_ID);
    expect((await cli("crawl", id)).stdout).toMatch(/scraping/);
    expect((await cli("crawl", id, "--cancel")).stdout).toMatch(/cancel/i);
    expect((await cli("crawl", id, "--status")).stdout).toMatch(/cancelled/);
  });

  test("starts the agent, reads it, waits for it, and cancels it", { tags: ["long"] }, async () => {
    const urls = sitePage("/articles/seagrass");
    const waited = await cli("agent", ASK, "--urls", urls, "--wait", "--poll-interval", "1", "--json");
    expect(waited.stdout).toContain("two hundred thousand");
    const id = await started("agent", "What does it say?", "--urls", sitePage(fresh("/slow?ms=8000")));
    expect((await cli("agent", id)).stdout).toMatch(/processing/);
    expect((await cli("agent", id, "--cancel")).stdout).toMatch(/cancel/i);
    expect((await cli("agent", id, "--status")).stdout).toMatch(/cancelled/);
  });

  test("downloads a site into files", async () => {
    await cli("experimental", "download", sitePage("/"), "--limit", "3", "--yes");
    const files = await readdir(home, { recursive: true });
    expect(files.filter((name) => name.endsWith(".md")).length).toBeGreaterThanOrEqual(2);
  });

  for (const { tags, entries } of shortAndLong<{ why: string; words: string[]; says: RegExp }>(
    [
      { why: "an unknown crawl", words: ["crawl", crypto.randomUUID(), "--status"], says: /not found/i },
      { why: "an unknown agent", words: ["agent", crypto.randomUUID(), "--status"], says: /not found/i },
      { why: "a page that does not answer", words: ["scrape", "http://127.0.0.1:9/"], says: /could not be loaded/ },
      { why: "support", words: ["doctor", crypto.randomUUID()], says: /does not offer/ },
    ],
    ({ why }) => why === "an unknown agent",
  ))
    test.each(entries)("passes on what the service says of $why", { tags }, async ({ words, says }) => {
      const { code, stdout, stderr } = await runCli(words.map(sitePage), home);
      expect(`${stdout}${stderr}`).toMatch(says);
      expect(code).not.toBe(0);
    });

  test("says so when its key is not one", async () => {
    const { code, stderr, stdout } = await runCli(["scrape", sitePage("/final")], home, { FIRECRAWL_API_KEY: "" });
    expect(`${stdout}${stderr}`).toMatch(/Unauthorized|Token/i);
    expect(code).not.toBe(0);
  });
});
