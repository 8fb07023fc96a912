import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { chromium, type BrowserContext, type Page } from "playwright-core";
import { findInstalledBrowser } from "../../src/tools/browser/installed-browser.ts";
import { startService, type TestService } from "../e2e/service.ts";
import { serveCrawl } from "../e2e/ui/serve-crawl.ts";
import { percentile } from "./content/percentile.ts";
import { table } from "./load/table.ts";

const USAGE = `npm run bench -- dashboard [flags]

  --loads 9        loads of the first view, each with an empty cache
  --rows 10000     URLs, and errors, of the crawl that reacts
  --answers 5      answers of 4 MB that are shown`;

const { values: flags } = parseArgs({
  options: {
    loads: { type: "string", default: "9" },
    rows: { type: "string", default: "10000" },
    answers: { type: "string", default: "5" },
    help: { type: "boolean", default: false },
  },
});

/** Time in ms without a change of the document after which a view counts as complete. */
const QUIET_MS = 1_000;
const ANSWER_BYTES = 4_000_000;
const WHEEL_STEP = 4_000;

type Row = [what: string, value: string, limit: string];

/** Notes the time of the last change of what the document shows, and how long each event took until the next paint. Runs in pages. */
const OBSERVE = `
  changedMs = 0;
  new MutationObserver((changes) => {
    // Scripts for later are announced in the head.
    if (changes.some(({ target }) => document.body?.contains(target))) changedMs = performance.now();
  }).observe(document, { subtree: true, childList: true, characterData: true });
  reactions = [];
  new PerformanceObserver((list) => {
    for (const { name, duration, interactionId } of list.getEntries()) if (interactionId > 0) reactions.push({ name, duration });
  }).observe({ type: "event", durationThreshold: 16, buffered: true });`;

async function bench(): Promise<void> {
  const executablePath = await findInstalledBrowser();
  if (executablePath === undefined) throw new Error("The bench needs a Chrome or Chromium; set CHROME_PATH.");
  const service = await startService();
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  const opened = async (): Promise<{ context: BrowserContext; page: Page }> => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
    const page = await context.newPage();
    await page.addInitScript(OBSERVE);
    return { context, page };
  };
  try {
    const rows = [
      ...(await firstView(service, opened)),
      ...(await reactions(service, opened)),
      ...(await longAnswers(service, opened)),
    ];
    console.log(table(["", "median / worst", "limit"], rows));
  } finally {
    await browser.close();
    await service.stop();
  }
}

type Open = () => Promise<{ context: BrowserContext; page: Page }>;

async function signIn({ url, key }: TestService, page: Page): Promise<void> {
  await page.goto(`${url}/#key=${key}`);
  await page.getByRole("button", { name: "Run" }).waitFor();
}

async function firstView(service: TestService, open: Open): Promise<Row[]> {
  const painted: number[] = [];
  const complete: number[] = [];
  let scriptBytes = 0;
  for (let load = 0; load < Number(flags.loads); load++) {
    const { context, page } = await open();
    const scripts: Promise<Buffer>[] = [];
    page.on("response", (response) => {
      if (response.url().endsWith(".js")) scripts.push(response.body());
    });
    await signIn(service, page);
    // Scripts that are loaded later, for dialogs, are not part of the first view.
    const ofFirstView = [...scripts];
    await page.waitForTimeout(QUIET_MS);
    scriptBytes = (await Promise.all(ofFirstView)).reduce((sum, script) => sum + gzipSync(script).byteLength, 0);
    const [paintMs, changedMs] = await page.evaluate<[number, number]>(
      "[performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN, changedMs]",
    );
    painted.push(paintMs);
    complete.push(changedMs);
    await context.close();
  }
  return [
    ["first view: scripts, gzip", `${(scriptBytes / 1_000).toFixed(1)} kB`, "120 kB"],
    ["first view: first paint", ms(painted), "200 ms"],
    ["first view: last change of the document", ms(complete), "600 ms"],
  ];
}

/** Works in the lists of a long crawl with the mouse and the keyboard, as the browser measures it. */
async function reactions(service: TestService, open: Open): Promise<Row[]> {
  const { context, page } = await open();
  await signIn(service, page);
  const id = crypto.randomUUID();
  await serveCrawl(page, { id, completed: Number(flags.rows) });
  await page.goto(`${service.url}/#/jobs/${id}`);
  const results = page.getByRole("region", { name: "Results", exact: true });
  await results.getByRole("tab", { name: /^All URLs/ }).waitFor();
  await page.evaluate("reactions.length = 0");
  const measured: Row[] = [];
  const step = async (what: string, work: () => Promise<void>): Promise<void> => {
    await work();
    await page.waitForTimeout(QUIET_MS);
    const found = await page.evaluate<{ duration: number }[]>("reactions.splice(0)");
    // The browser reports no event that took less than 16 ms.
    measured.push([`${flags.rows} rows: ${what}`, ms(found.length === 0 ? [0] : found.map(({ duration }) => duration)), "100 ms"]); // prettier-ignore
  };
  const list = page.getByRole("group", { name: "URLs by path" });
  await step("open the list", () => results.getByRole("tab", { name: /^All URLs/ }).click());
  await step("type in the filter", async () => {
    await results.getByLabel("Filter by URL or reason").click();
    await page.keyboard.type("log/99", { delay: 120 });
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Delete");
  });
  await step("filter by outcome", async () => {
    for (let press = 0; press < 2; press++) await results.getByRole("button", { name: /^Scraped/ }).click();
  });
  await step("scroll by wheel and keys", async () => {
    await list.hover();
    for (let turn = 0; turn < 10; turn++) await page.mouse.wheel(0, WHEEL_STEP);
    await list.focus();
    for (const key of ["PageDown", "End", "Home"]) await page.keyboard.press(key);
  });
  await step("open the errors and go back", async () => {
    await results.getByRole("tab", { name: /^Errors/ }).click();
    await page.getByRole("group", { name: "Failed pages" }).waitFor();
    await results.getByRole("tab", { name: /^All URLs/ }).click();
  });
  await context.close();
  return measured;
}

/** Shows long markdown, from the end of the response to the first paint of its text. */
async function longAnswers(service: TestService, open: Open): Promise<Row[]> {
  const block = `## Berth\n\n${"The harbour office keeps **books** of every [berth](https://a.example/).\n\n".repeat(100)}`;
  const markdown = block.repeat(Math.ceil(ANSWER_BYTES / block.length));
  const data = { markdown, metadata: { title: "Berths", sourceURL: "https://a.example/" } };
  const { context, page } = await open();
  await page.route("**/v2/scrape", (route) => route.fulfill({ json: { success: true, data } }));
  await signIn(service, page);
  const shown: number[] = [];
  for (let answer = 0; answer < Number(flags.answers); answer++) {
    await page.getByLabel(/^URL/).fill(`https://a.example/${answer}`);
    await page.evaluate(`void (shownMs = new Promise((done) => {
      const before = document.querySelector(".prose-piece");
      const look = () => {
        const piece = document.querySelector(".prose-piece");
        if (piece === null || piece === before || piece.firstChild === null) return requestAnimationFrame(look);
        requestAnimationFrame(() => setTimeout(() => done(performance.now())));
      };
      look();
    }))`);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const [shownMs, endMs] = await page.evaluate<[number, number]>(
      "shownMs.then((at) => [at, performance.getEntriesByType('resource').findLast(({ name }) => name.endsWith('/v2/scrape')).responseEnd])",
    );
    shown.push(shownMs - endMs);
  }
  await context.close();
  return [["answer of 4 MB: from the response to its text", ms(shown), "500 ms"]];
}

const ms = (times: readonly number[]): string =>
  `${Math.round(percentile([...times], 50))} / ${Math.round(Math.max(...times))} ms`;

if (flags.help) console.log(USAGE);
else await bench();
