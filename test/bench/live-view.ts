import { parseArgs } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium, type Page } from "playwright-core";
import { startService } from "../e2e/service.ts";
import { socketTo, type ViewerSocket } from "../e2e/sessions/viewer-socket.ts";
import { percentile } from "./content/percentile.ts";
import { table } from "./load/table.ts";

const USAGE = `npm run bench -- live-view [flags]

  --seconds 5      how long frames are counted
  --viewers 1,3    viewers at a time
  --clicks 40      clicks from the interactive view whose pictures are waited for
  --json           print JSON instead of tables`;

const { values: flags } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    viewers: { type: "string", default: "1,3" },
    clicks: { type: "string", default: "40" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

/** A page whose every frame is different, over all of its area. */
const RESTLESS = `<body><script>
  let turn = 0;
  (function draw() {
    document.body.style.background = "linear-gradient(" + (turn += 2) + "deg, gold, teal, plum)";
    document.body.textContent = "frame " + turn;
    requestAnimationFrame(draw);
  })();
</script>`;

/** A page that is still until it is clicked. */
const STILL = `<body style="background: white"><script>
  addEventListener("mousedown", () => { document.body.style.background = document.body.style.background === "white" ? "black" : "white"; });
</script>`;

interface Row {
  what: string;
  value: string;
}

async function bench(): Promise<void> {
  const service = await startService();
  try {
    const rows = await measure(service);
    console.log(
      flags.json
        ? JSON.stringify(rows, undefined, 2)
        : table(
            ["", ""],
            rows.map(({ what, value }) => [what, value]),
          ),
    );
  } finally {
    await service.stop();
  }
}

async function measure(service: { url: string; key: string }): Promise<Row[]> {
  const rows: Row[] = [];
  const note = (what: string, value: string): void => void rows.push({ what, value });
  const headers = { authorization: `Bearer ${service.key}` };
  const created = await fetch(`${service.url}/v2/browser`, { method: "POST", headers });
  const session = (await created.json()) as {
    id: string;
    cdpUrl: string;
    liveViewUrl: string;
    interactiveLiveViewUrl: string;
  };

  let startedMs = performance.now();
  const browser = await chromium.connectOverCDP(session.cdpUrl);
  note("connectOverCDP", `${since(startedMs)} ms`);
  const page = browser.contexts()[0]?.pages()[0];
  if (page === undefined) throw new Error("The session shows no page");
  startedMs = performance.now();
  for (let index = 0; index < 200; index++) await page.evaluate("1");
  note("200 evaluates through cdpUrl", `${since(startedMs)} ms`);
  startedMs = performance.now();
  await page.evaluate("'x'.repeat(8_000_000)");
  note("an answer of 8 MB through cdpUrl", `${since(startedMs)} ms`);

  for (const viewers of flags.viewers.split(",").map(Number)) {
    note(
      `frames/s for each of ${viewers} viewers, 1280×800, restless page`,
      await framesPerSecond(page, session.liveViewUrl, viewers),
    );
  }
  note(
    "ms from a click in the interactive view to its picture, p50 / p95",
    await clickTimes(page, session.interactiveLiveViewUrl),
  );

  const cut = new Promise<number>((resolve) => browser.on("disconnected", () => resolve(performance.now())));
  startedMs = performance.now();
  await fetch(`${service.url}/v2/browser/${session.id}`, { method: "DELETE", headers });
  note("ms from DELETE to the client's disconnection", String(Math.round((await cut) - startedMs)));
  return rows;
}

async function framesPerSecond(page: Page, url: string, count: number): Promise<string> {
  await page.setContent(RESTLESS);
  const viewers = await Promise.all(Array.from({ length: count }, () => socketTo(url)));
  await sleep(1000);
  const before = viewers.map((viewer) => viewer.frames());
  const seconds = Number(flags.seconds);
  await sleep(seconds * 1000);
  const rates = viewers.map((viewer, place) => (viewer.frames() - (before[place] ?? 0)) / seconds);
  for (const viewer of viewers) viewer.close();
  return rates.map((rate) => rate.toFixed(1)).join(", ");
}

async function clickTimes(page: Page, url: string): Promise<string> {
  await page.setContent(STILL);
  const driver = await socketTo(url);
  await sleep(1000);
  const times: number[] = [];
  for (let index = 0; index < Number(flags.clicks); index++) {
    const startedMs = performance.now();
    const frames = driver.frames();
    for (const kind of ["down", "up"]) driver.send({ type: "mouse", kind, x: 0.5, y: 0.5, button: "left", clicks: 1 });
    await newFrame(driver, frames);
    times.push(since(startedMs));
    await sleep(120);
  }
  driver.close();
  return `${percentile(times, 50)} / ${percentile(times, 95)}`;
}

async function newFrame(driver: ViewerSocket, before: number): Promise<void> {
  const endMs = performance.now() + 3000;
  while (driver.frames() === before && performance.now() < endMs) await sleep(2);
}

const since = (startedMs: number): number => Math.round(performance.now() - startedMs);

if (flags.help) console.log(USAGE);
else await bench();
