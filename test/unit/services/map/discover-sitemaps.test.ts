import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Http } from "../../../../src/ports/outbound/http.ts";
import { runTextTaskHere, type RunTextTask } from "../../../../src/content/text-tasks/text-tasks.ts";
import { AppError } from "../../../../src/core/errors.ts";
import { GrowingBytes } from "../../../../src/core/waits/growing-bytes.ts";
import { HeldBytes } from "../../../../src/core/waits/held-bytes.ts";
import { discoverSitemaps, type SitemapSearch } from "../../../../src/services/map/discover-sitemaps.ts";
import { scriptedHttp, type ScriptedResponse } from "../../../fakes/upstream/scripted-http.ts";
import { freeMemory } from "../../../fakes/free-memory.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const set = (...urls: string[]): string =>
  `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join("")}</urlset>`;
const index = (...urls: string[]): string =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join("")}</sitemapindex>`;

async function discover(
  pages: Record<string, ScriptedResponse | ScriptedResponse[]>,
  {
    startUrl = "https://example.com/",
    runTask = runTextTaskHere,
    ...search
  }: Partial<Pick<SitemapSearch, "startUrl" | "listed" | "maxUrls" | "headers" | "runTask" | "sleep">> = {},
) {
  const http = scriptedHttp(pages);
  const deps = testDeps({ http, settings: { maxBodyBytes: 50_000_000 } });
  const urls: string[] = [];
  const found = await discoverSitemaps(deps, {
    startUrl,
    ...search,
    runTask,
    memory: freeMemory(),
    deadlineMs: deps.clock.now() + 60_000,
    onUrl: ({ url }) => void urls.push(url),
  });
  return { ...found, urls, asked: http.seen.map(({ url }) => url), requests: http.seen };
}

test("looks where robots.txt says, in the start page's folder, at the root and at the domain's root", async () => {
  const { asked, problems } = await discover(
    {},
    { startUrl: "https://docs.example.co.uk/a/start.html", listed: ["/map.xml", "https://cdn.example.net/s.xml"] },
  );
  expect(asked).toEqual([
    "https://docs.example.co.uk/map.xml",
    "https://cdn.example.net/s.xml",
    "https://docs.example.co.uk/a/sitemap.xml",
    "https://docs.example.co.uk/sitemap.xml",
    "https://example.co.uk/sitemap.xml",
  ]);
  expect(problems).toEqual([
    "https://docs.example.co.uk/map.xml: the site answers 404",
    "https://cdn.example.net/s.xml: the site answers 404",
  ]);
});

test("follows indexes into each other, each file once", async () => {
  const { urls, sitemaps, asked } = await discover({
    "https://example.com/sitemap.xml": index("https://example.com/sitemap.xml", "https://example.com/b.xml"),
    "https://example.com/b.xml": index("https://example.com/sitemap.xml", "https://example.com/c.xml.gz"),
    "https://example.com/c.xml.gz": {
      body: gzipSync(set("https://example.com/1", "https://example.com/2")),
      type: "application/octet-stream",
    },
  });
  expect(urls).toEqual(["https://example.com/1", "https://example.com/2"]);
  expect(sitemaps).toEqual([
    "https://example.com/sitemap.xml",
    "https://example.com/b.xml",
    "https://example.com/c.xml.gz",
  ]);
  expect(asked).toHaveLength(3);
});

test("reads the beginning of a file that is too long for a runner, and says so", async () => {
  const [first, last] = ["https://example.com/first", "https://example.com/last"];
  const space = " ".repeat(33_000_000);
  const body = `<urlset><url><loc>${first}</loc></url>${space}<url><loc>${last}</loc></url></urlset>`;
  const { urls, problems } = await discover({ "https://example.com/sitemap.xml": body });
  expect(urls).toEqual([first]);
  expect(problems).toContain("https://example.com/sitemap.xml: only the first 32 MB were read");
});

test("reads twenty files at most, and says how many it left", async () => {
  const children = Array.from({ length: 60 }, (_, number) => `https://example.com/${number}.xml`);
  const pages = Object.fromEntries(children.map((url) => [url, set(`${url}/page`)]));
  const found = await discover({ "https://example.com/sitemap.xml": index(...children), ...pages });
  expect(found.sitemaps).toHaveLength(20);
  expect(found).toMatchObject({ problems: [], unread: 41 });
});

test("counts the files of an index that it does not keep, those that are known but once", async () => {
  const children = Array.from({ length: 1_500 }, (_, number) => `https://example.com/${number}.xml`);
  const root = "https://example.com/sitemap.xml";
  // One of the forty requests is for the index.
  expect(await discover({ [root]: index(root, ...children, ...children) })).toMatchObject({ unread: 1_500 - 39 });
});

test("reports the first problem with each file, of as many files as are requested", async () => {
  const listed = Array.from({ length: 25 }, (_, number) => `https://example.com/${number}.xml`);
  const wrong = `<urlset>${"<url><loc>no address</loc></url>".repeat(8)}</urlset>`;
  const { problems, unread } = await discover({ [listed[0] ?? ""]: wrong }, { listed });
  expect(problems.map((problem) => problem.split(": ")[0]).toSorted()).toEqual(listed.toSorted());
  expect(unread).toBe(0);
});

test("sends forty requests at most, whatever they answer", async () => {
  const listed = Array.from({ length: 300 }, (_, number) => `/${number}.xml`);
  expect((await discover({}, { listed })).asked).toHaveLength(40);
});

test("counts the bytes of every response", async () => {
  const listed = Array.from({ length: 40 }, (_, number) => `/${number}.xml`);
  const body = new Uint8Array(10_000_000);
  const pages = Object.fromEntries(listed.map((path) => [`https://example.com${path}`, { status: 404, body }]));
  expect((await discover(pages, { listed })).asked).toHaveLength(20);
});

test("sends the caller's headers to the origin of the start URL only", async () => {
  const headers = { Authorization: "Bearer secret", Cookie: "sid=1", "Accept-Language": "de" };
  const { requests } = await discover(
    { "https://example.com/sitemap.xml": index("https://cdn.example.net/b.xml", "http://example.com/c.xml") },
    { headers, listed: ["https://other.net/a.xml"] },
  );
  const sent = Object.fromEntries(requests.map(({ url, headers: of = {} }) => [url, of]));
  expect(sent["https://example.com/sitemap.xml"]).toMatchObject(headers);
  for (const url of ["https://other.net/a.xml", "https://cdn.example.net/b.xml", "http://example.com/c.xml"]) {
    expect(sent[url]).toMatchObject({ "Accept-Language": "de" });
    expect(Object.keys(sent[url] ?? {})).not.toEqual(expect.arrayContaining(["Authorization"]));
    expect(Object.keys(sent[url] ?? {})).not.toEqual(expect.arrayContaining(["Cookie"]));
  }
});

test("reads further files after some that no runner could read", async () => {
  const names = Array.from({ length: 8 }, (_, number) => `https://example.com/${number}.xml`);
  let calls = 0;
  const runTask: RunTextTask = (...task) =>
    calls++ < 4 ? Promise.reject(new AppError("SERVICE_UNAVAILABLE")) : runTextTaskHere(...task);
  const pages = Object.fromEntries(names.map((url) => [url, set(`${url}/page`)]));
  const { urls } = await discover(pages, { listed: names, runTask });
  expect(urls).toHaveLength(4);
});

test("asks for no further file once there are enough URLs", async () => {
  const { asked } = await discover(
    {
      "https://example.com/sitemap.xml": `${set("https://example.com/1", "https://example.com/2")}`,
      "https://example.com/late.xml": set("https://example.com/3"),
      "https://example.com/a.xml": index("https://example.com/late.xml"),
    },
    { listed: ["/a.xml"], maxUrls: 2 },
  );
  expect(asked).not.toContain("https://example.com/late.xml");
});

test("asks for no further file once its caller has enough", async () => {
  const http = scriptedHttp({
    "https://example.com/sitemap.xml": index("https://example.com/late.xml"),
    "https://example.com/late.xml": set("https://example.com/3"),
  });
  const deps = testDeps({ http });
  const deadlineMs = deps.clock.now() + 60_000;
  const onUrl = (): void => undefined;
  await discoverSitemaps(deps, {
    startUrl: "https://example.com/",
    runTask: runTextTaskHere,
    memory: freeMemory(),
    deadlineMs,
    onUrl,
    isEnough: () => http.seen.length > 0,
  });
  expect(http.seen.map(({ url }) => url)).not.toContain("https://example.com/late.xml");
});

test("fetches large files one at a time", async () => {
  const names = ["a", "b", "c"].map((name) => `https://example.com/${name}.xml`);
  const web = scriptedHttp(Object.fromEntries(names.map((url) => [url, set(`${url}/page`)])));
  let [running, most] = [0, 0];
  const http: Http = {
    async request(request) {
      if ((request.maxBodyBytes ?? 0) < 20_000_000 && names.includes(request.url)) {
        return { kind: "failed", code: "SCRAPE_BODY_TOO_LARGE", message: "too large" };
      }
      running++;
      if (names.includes(request.url)) most = Math.max(most, running);
      const outcome = await web.request(request);
      await Promise.resolve();
      running--;
      return outcome;
    },
  };
  const urls: string[] = [];
  const deps = testDeps({ http, settings: { maxBodyBytes: 50_000_000 } });
  const { problems } = await discoverSitemaps(deps, {
    startUrl: "https://example.com/",
    listed: names,
    runTask: runTextTaskHere,
    memory: freeMemory(),
    deadlineMs: deps.clock.now() + 60_000,
    onUrl: ({ url }) => void urls.push(url),
  });
  expect(urls).toHaveLength(3);
  expect(most).toBe(1);
  expect(problems).toEqual([]);
});

test("one file under two addresses is read once", async () => {
  const body = set("https://example.com/1");
  const { urls } = await discover(
    {
      "https://www.example.com/docs/sitemap.xml": { body, url: "https://www.example.com/sitemap.xml", redirects: 1 },
      "https://www.example.com/sitemap.xml": body,
    },
    { startUrl: "https://www.example.com/docs/" },
  );
  expect(urls).toEqual(["https://example.com/1"]);
});

test("says nothing about web pages where a sitemap was only guessed", async () => {
  const page = "<html><body>Not found</body></html>";
  expect((await discover({ "https://example.com/sitemap.xml": page })).problems).toEqual([]);
  const { problems } = await discover({ "https://example.com/a.xml": page }, { listed: ["/a.xml"] });
  expect(problems[0]).toMatch(/a\.xml: This is a web page/);
});

test("reads no further URL of a file before the last one is taken, and ends when that fails", async () => {
  const urls = ["https://example.com/1", "https://example.com/2", "https://example.com/3"];
  const deps = testDeps({ http: scriptedHttp({ "https://example.com/sitemap.xml": set(...urls) }) });
  const events: string[] = [];
  const found = discoverSitemaps(deps, {
    startUrl: "https://example.com/",
    runTask: runTextTaskHere,
    memory: freeMemory(),
    deadlineMs: deps.clock.now() + 60_000,
    onUrl: async ({ url }) => {
      events.push(`take ${url.at(-1)}`);
      await new Promise((resolve) => setImmediate(resolve));
      if (url.endsWith("3")) throw new Error("The frontier is away");
      events.push(`taken ${url.at(-1)}`);
    },
  });
  await expect(found).rejects.toThrow("The frontier is away");
  expect(events).toEqual(["take 1", "taken 1", "take 2", "taken 2", "take 3"]);
});

test("requests a file again after the pause that the site asks for, where the caller has time", async () => {
  const waits: number[] = [];
  const sleep = async (ms: number): Promise<void> => void waits.push(ms);
  const busy = { status: 429, retryAfter: "5" };
  const pages = { "https://example.com/sitemap.xml": [busy, { status: 503 }, set("https://example.com/a")] };
  expect(await discover(pages, { sleep })).toMatchObject({ urls: ["https://example.com/a"], problems: [] });
  expect(waits).toEqual([5_000, 8_000]);
  // A map, which answers at once, says what it has not read.
  const problems = ["https://example.com/sitemap.xml: the site answers 429"];
  expect(await discover(pages)).toMatchObject({ urls: [], problems });
  const long = { status: 429, retryAfter: "3600" };
  expect(await discover({ "https://example.com/sitemap.xml": long }, { sleep })).toMatchObject({ problems });
  expect(waits).toHaveLength(2);
});

const [ROOT, NAMED, AWAY] = ["https://www.docs.example.com/sitemap.xml", "https://www.docs.example.com/map.xml", "https://example.com/sitemap.xml"]; // prettier-ignore
const BUSY = { status: 503 };
const PAGE = "https://www.docs.example.com/a";
const BUSY_PROBLEM = `${ROOT}: the site answers 503`;

test.each([
  {
    why: "a named file was read",
    pages: { [NAMED]: set(PAGE), [ROOT]: BUSY },
    listed: [NAMED],
    asked: 1,
    problems: [],
  },
  { why: "it is of another host", pages: { [AWAY]: BUSY }, listed: [], asked: 1, problems: [] },
  { why: "nothing is named", pages: { [ROOT]: BUSY }, listed: [], asked: 3, problems: [BUSY_PROBLEM] },
  {
    why: "the named file is missing",
    pages: { [ROOT]: BUSY },
    listed: [NAMED],
    asked: 3,
    problems: [`${NAMED}: the site answers 404`, BUSY_PROBLEM],
  },
  {
    why: "the named file is missing, and the guess comes late",
    pages: { [ROOT]: [BUSY, index(PAGE)], [PAGE]: [BUSY, set(PAGE)] },
    listed: [NAMED],
    asked: 2,
    problems: [`${NAMED}: the site answers 404`],
  },
])("a guess that is busy is requested $asked times where $why", async ({ pages, listed, asked, problems }) => {
  const startUrl = "https://www.docs.example.com/";
  const slow = await discover(pages, { startUrl, listed, sleep: async () => undefined });
  expect(slow.problems).toEqual(problems);
  const guess = AWAY in pages ? AWAY : ROOT;
  expect(slow.asked.filter((url) => url === guess)).toHaveLength(asked);
  const quick = await discover(pages, { startUrl, listed });
  expect(quick.asked.filter((url) => url === guess)).toHaveLength(1);
  expect(quick.problems).toEqual(asked === 2 ? [...problems, BUSY_PROBLEM] : problems);
});

test("a file that redirects to a busy guess is read, whichever answers first", async () => {
  const [news, old, root, page] = ["https://example.com/news.xml", "http://example.com/sitemap.xml", "https://example.com/sitemap.xml", "https://example.com/a"]; // prettier-ignore
  const body = set(page);
  const [busyOld, late] = [
    { status: 503, url: root, redirects: 1 },
    { body, url: root, redirects: 1 },
  ];
  const find = (pages: Record<string, ScriptedResponse | ScriptedResponse[]>) =>
    discover(
      { [news]: set("https://example.com/news"), ...pages },
      { listed: [news, old], sleep: async () => undefined },
    );
  for (const pages of [
    { [old]: [busyOld, late], [root]: [BUSY, body] },
    { [old]: late, [root]: [BUSY, body] },
    { [old]: [busyOld, busyOld, late], [root]: body },
  ]) {
    const { urls, problems } = await find(pages);
    expect(urls.toSorted()).toEqual([page, "https://example.com/news"]);
    expect(problems).toEqual([]);
  }
  expect((await find({ [old]: busyOld, [root]: BUSY })).problems).toEqual([`${old}: the site answers 503`]);
});

test.each([
  { of: "the folder", guess: "https://docs.example.com/a/sitemap.xml" },
  { of: "the registrable domain", guess: "https://example.com/sitemap.xml" },
])("the busy guess of $of is requested again and reported where an index names it", async ({ guess }) => {
  const startUrl = "https://docs.example.com/a/";
  const root = "https://docs.example.com/sitemap.xml";
  const sleep = async (): Promise<void> => undefined;
  const pages = { [root]: index(guess), [guess]: [BUSY, set(PAGE)] };
  expect(await discover(pages, { startUrl, sleep })).toMatchObject({ urls: [PAGE], problems: [] });
  const isBusy = { problems: [`${guess}: the site answers 503`] };
  expect(await discover({ ...pages, [guess]: BUSY }, { startUrl, sleep })).toMatchObject(isBusy);
  expect(await discover(pages, { startUrl })).toMatchObject(isBusy);
  const gone = { problems: [`${guess}: the site answers 404`] };
  expect(await discover({ [root]: index(guess, PAGE), [PAGE]: set(PAGE) }, { startUrl })).toMatchObject(gone);
  // The index itself answers late.
  const late = { [root]: [BUSY, index(guess)], [guess]: [BUSY, BUSY, set(PAGE)] };
  expect(await discover(late, { startUrl, sleep })).toMatchObject({ urls: [PAGE], problems: [] });
});

test.each([
  { why: "the one at the root was read", root: set(PAGE), asked: 1, problems: [] },
  { why: "the one at the root comes late", root: [BUSY, set(PAGE)], asked: 1, problems: [] },
  { why: "the one at the root is missing", root: { status: 404 }, asked: 3, problems: ["a/"] },
  { why: "the one at the root is busy, too", root: BUSY, asked: 3, problems: ["", "a/"] },
  { why: "the one at the root lists nothing", root: [BUSY, set()], asked: 3, problems: ["a/"] },
])("the busy guess in a folder is requested $asked times where $why", async ({ root, asked, problems }) => {
  const [startUrl, guess] = ["https://docs.example.com/a/", "https://docs.example.com/a/sitemap.xml"];
  const pages = { [guess]: BUSY, "https://docs.example.com/sitemap.xml": root };
  const found = await discover(pages, { startUrl, sleep: async () => undefined });
  expect(found.asked.filter((url) => url === guess)).toHaveLength(asked);
  const reported = problems.map((path) => `https://docs.example.com/${path}sitemap.xml: the site answers 503`);
  expect(found.problems).toEqual(reported);
});

test.each([
  { what: "a guess", folder: set(PAGE) },
  { what: "a file that a guess names", folder: index("https://docs.example.com/a/b.xml") },
])("the busy guess at the root is requested again where only $what was read", async ({ folder }) => {
  const [startUrl, root] = ["https://docs.example.com/a/", "https://docs.example.com/sitemap.xml"];
  const pages = {
    [`${startUrl}sitemap.xml`]: folder,
    [`${startUrl}b.xml`]: set(PAGE),
    [root]: [BUSY, set(`${startUrl}new`)],
  };
  const { urls } = await discover(pages, { startUrl, listed: ["/old.xml"], sleep: async () => undefined });
  expect(urls).toEqual([PAGE, `${startUrl}new`]);
});

test("files that wait for another request share the limit of forty", async () => {
  const listed = Array.from({ length: 35 }, (_, number) => `https://example.com/${number}.xml`);
  const busy = Object.fromEntries(listed.slice(30).map((url) => [url, BUSY]));
  const pages = { "https://example.com/0.xml": [BUSY, { status: 404 }], ...busy };
  const sleep = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));
  expect((await discover(pages, { listed, sleep })).asked).toHaveLength(40);
});

test("files of many searches that wait to be read stay within the memory of a team", async () => {
  const FILE = 200_000;
  const memory = new HeldBytes({ ofTeam: 10 * FILE, inAll: 20 * FILE });
  let [unread, most, read] = [0, 0, 0];
  const names = ["/a.xml", "/b.xml", "/c.xml", "/d.xml", "/e.xml"];
  const http: Http = {
    async request({ url, hasRoom = () => true }) {
      await new Promise((resolve) => setImmediate(resolve));
      while (!hasRoom()) await new Promise((resolve) => setTimeout(resolve, 5));
      const isThere = names.includes(new URL(url).pathname);
      if (isThere) most = Math.max(most, (unread += FILE));
      const body = new TextEncoder().encode(isThere ? set(`${url}/page`).padEnd(FILE) : "");
      return { kind: "response", response: { url, statusCode: isThere ? 200 : 404, headers: {}, body, redirects: 0 } };
    },
  };
  const runTask = (async (...call: Parameters<RunTextTask>) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    unread -= FILE;
    return await runTextTaskHere(...call);
  }) as RunTextTask;
  const owner = { teamId: "team", keyId: "key" };
  const deps = { ...testDeps({ http, settings: { maxBodyBytes: FILE } }), clock: { now: () => Date.now() } };
  const search = async (): Promise<void> => {
    const growing = new GrowingBytes(memory, owner);
    await discoverSitemaps(deps, {
      startUrl: "https://example.com/",
      listed: names,
      runTask,
      memory: growing,
      deadlineMs: Date.now() + 60_000,
      onUrl: () => void read++,
    });
    expect(growing.isOver).toBe(false);
    growing.release();
  };
  await Promise.all(Array.from({ length: 20 }, search));
  expect(read).toBe(20 * names.length);
  // Those of the earliest search come beside.
  expect(most).toBeLessThanOrEqual((10 + names.length) * FILE);
  expect(memory.bytesOf("team")).toBe(0);
});
