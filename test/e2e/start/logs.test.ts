import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSite } from "../../site/start-site.ts";
import { endSession, holdWithPlaywright, openSession } from "../sessions/browser-client.ts";
import { call } from "../client.ts";
import { isRunning } from "../../../src/tools/process/process-family.ts";
import { HOSTILE_PDFS } from "../../hostile/hostile-pdf.ts";
import { processorTicks, sandboxProcesses } from "../sessions/sandbox-processes.ts";
import { startService, type TestService } from "../service.ts";
import { soon } from "../soon.ts";
import { socketTo } from "../sessions/viewer-socket.ts";

const SECRET = "s3cr3t-of-a-query";
let site: Awaited<ReturnType<typeof startSite>>;
let service: TestService;
const lines: string[] = [];
const tokens: string[] = [];
let persist: string;
let kept: string;

beforeAll(async () => {
  site = await startSite();
  persist = await mkdtemp(join(tmpdir(), "orbweaver-logs-"));
  service = await startService({ persist, onLine: (line) => lines.push(line) });
  const ask = (path: string, body?: object, key = service.key) =>
    call(path, { service: { url: service.url, key }, ...(body === undefined ? {} : { body }) });
  await ask("/v2/scrape", { url: `${site.url}/articles/seagrass?token=${SECRET}` });
  await ask("/v2/scrape", { url: `${site.url}/slow?ms=5000&token=${SECRET}`, timeout: 1000 });
  await ask("/v2/scrape", { url: `http://no-such-host.invalid/?token=${SECRET}` });
  await ask("/v2/scrape", { url: "https://example.com", unknown: SECRET });
  await ask("/v2/scrape", { url: `${site.url}/final` }, `fc-${"0".repeat(32)}`);
  await ask("/v2/map", { url: `${site.url}/` });
  const { text } = await ask("/v2/crawl", { url: `${site.url}/`, limit: 3 });
  const { id } = JSON.parse(text) as { id: string };
  for (let tries = 0; tries < 100; tries++) {
    if ((await ask(`/v2/crawl/${id}`)).text.includes('"status":"completed"')) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await useSession();
  await ask("/v2/nowhere");
});
afterAll(async () => {
  await service.stop();
  await site.close();
  await rm(persist, { recursive: true, force: true, maxRetries: 3 });
});

/** Opens a session, uses its addresses, and ends it. */
async function useSession(): Promise<void> {
  const own = { url: service.url, key: service.key };
  const { id, cdpUrl, liveViewUrl, interactiveLiveViewUrl } = await openSession({ recordSession: true }, own);
  for (const url of [cdpUrl, liveViewUrl, interactiveLiveViewUrl]) {
    tokens.push(new URL(url).searchParams.get("token") ?? "");
  }
  const viewer = await socketTo(interactiveLiveViewUrl);
  const { browser } = await holdWithPlaywright(cdpUrl);
  await fetch(liveViewUrl);
  await fetch(liveViewUrl.replace("?token=", "?token=0"));
  await call("/v2/browser", { service: own });
  kept = await contentsOf(persist);
  viewer.close();
  await browser.close();
  await endSession(id, own);
}

/** Everything that a service has written to its storage. */
async function contentsOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const read = files.map(({ parentPath, name }) => readFile(join(parentPath, name), "latin1").catch(() => ""));
  return (await Promise.all(read)).join("\n");
}

interface Line {
  event: string;
  requestId?: string;
  route?: string;
  status?: number;
  code?: string;
  engine?: string;
  ms?: number;
  jobId?: string;
  key?: string;
}

/** The service's own lines; others are the platform's. */
function events(): Line[] {
  return lines.flatMap((line) => {
    const start = line.indexOf('{"event"');
    return start < 0 ? [] : [JSON.parse(line.slice(start)) as Line];
  });
}

test("each request has one line: the route's pattern, its status and code, its time, the engine and a hash for the key", async () => {
  // Lines come a moment after what they tell of.
  await soon(() => events().some(({ event }) => event === "job_run")).toBe(true);
  await soon(() => events().some(({ event, status }) => event === "request" && status === 404)).toBe(true);
  const requests = events().filter(({ event }) => event === "request");
  const scrapes = requests.filter(({ route }) => route === "/v2/scrape");
  expect(scrapes.map(({ status, code }) => [status, code])).toEqual([
    [200, undefined],
    [408, "SCRAPE_TIMEOUT"],
    [200, "SCRAPE_DNS_RESOLUTION_ERROR"],
    [400, "BAD_REQUEST"],
    [401, "TOKEN_INVALID"],
  ]);
  expect(scrapes[0]).toMatchObject({
    engine: "fetch",
    ms: expect.any(Number),
    key: expect.stringMatching(/^[0-9a-f]{12}$/),
  });
  expect(new Set(requests.map(({ requestId }) => requestId)).size).toBe(requests.length);
  expect(requests.find(({ route }) => route === "/v2/crawl/{id}" || route === "/v2/crawl/:id")?.jobId).toMatch(
    /^[0-9a-f-]{36}$/,
  );
});

test("a session's tokens are in no line, and nowhere in storage", () => {
  const text = lines.join("\n");
  expect(kept).toContain("browser_sessions");
  expect(tokens.map((token) => token.length)).toEqual([64, 64, 64]);
  for (const token of tokens) {
    expect(text.includes(token)).toBe(false);
    expect(kept.includes(token)).toBe(false);
  }
});

test("no line holds a key, a secret of an address, or what a page says", () => {
  const text = lines.join("\n");
  expect(events().length).toBeGreaterThan(10);
  for (const secret of [
    service.key,
    service.adminKey,
    service.key.slice(3),
    SECRET,
    "seagrass",
    "Seagrass",
    "Harrow Bay",
  ]) {
    expect(text).not.toContain(secret);
  }
});

/** Processor time of a sandbox process until it works, in hundredths of a second. */
const STARTING_TICKS = 30;

test(
  "an upload is read apart from the service: it is read again when the process that reads it is killed",
  { tags: ["long"] },
  async () => {
    const own = { url: service.url, key: service.key };
    const upload = (name: string, bytes: Uint8Array<ArrayBuffer>) => {
      const body = new FormData();
      body.set("file", new File([bytes], name));
      return call("/v2/parse", { service: own, body });
    };
    const small = await readFile(`${import.meta.dirname}/../../fixtures/documents/report.pdf`);
    await upload("report.pdf", Uint8Array.from(small));
    // The service and its sandbox host were started by this process, other services by another one.
    const before = new Map(sandboxProcesses(process.pid).map((pid) => [pid, processorTicks(pid)]));
    expect(before.size).toBeGreaterThan(0);
    const slow = Uint8Array.from(HOSTILE_PDFS["n words all over a page"](8_000));
    const reading = upload("slow.pdf", slow);
    let reader = 0;
    // A process that was started meanwhile has taken some for that.
    const find = (): number =>
      sandboxProcesses(process.pid).find((pid) => processorTicks(pid) > (before.get(pid) ?? STARTING_TICKS) + 10) ?? 0;
    await expect.poll(() => (reader = find()), { interval: 5, timeout: 30_000 }).toBeGreaterThan(0);
    process.kill(reader, "SIGKILL");
    const { status, body } = await reading;
    expect({ status, code: body.code }).toEqual({ status: 200, code: undefined });
    expect(body.data.markdown).toContain("w7999");
    expect(isRunning(reader)).toBe(false);
    expect((await upload("report.pdf", Uint8Array.from(small))).status).toBe(200);
  },
);
