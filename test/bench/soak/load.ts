import { setTimeout as sleep } from "node:timers/promises";
import type { Site } from "../../site/start-site.ts";
import { treePaths } from "../../site/routes/tree.ts";
import type { Answer, Caller } from "./caller.ts";
import type { Kills } from "./kills.ts";

/** Pages of the tree that crawls go through. */
export const TREE_PAGES = 24;
const POLL_MS = 500;
/** A job that takes longer while the service responds, hangs. Outages, which a kill causes, do not count. */
const JOB_TIMEOUT_MS = 120_000;
/** The longest response that counts as service; a longer one waited for a restart. */
const RESPONSE_LIMIT_MS = 2_000;

interface World {
  caller: Caller;
  site: Site;
  kills: Kills;
  /** Names a fault: something that was lost, doubled, hangs, or failed without a reason. */
  fault: (what: string) => void;
}

interface Page {
  metadata: { sourceURL: string; error?: string };
}

/** One round of each kind of work. A round ends by itself; what it finds wrong is a fault. */
export const ROUNDS: Record<string, (world: World, round: number) => Promise<void>> = {
  async scrape(world, round) {
    const { caller, site } = world;
    const url = `${site.url}/tree/${1 + (round % (TREE_PAGES - 1))}`;
    const startedAtMs = Date.now();
    const answer = await caller.ask("scrape", "/v2/scrape", { url, maxAge: round % 3 === 0 ? 60_000 : 0 });
    const { metadata } = (answer.body["data"] ?? {}) as Partial<Page>;
    if (succeeded(world, "scrape", { answer, startedAtMs }) && metadata?.sourceURL !== url)
      world.fault(`scrape: asked for ${url}, got ${metadata?.sourceURL}`);
  },

  async picture(world, round) {
    const startedAtMs = Date.now();
    const body = { url: `${world.site.url}/final?picture=${round}`, formats: ["screenshot"], maxAge: 0 };
    succeeded(world, "picture", { answer: await world.caller.ask("picture", "/v2/scrape", body), startedAtMs });
  },

  async crawl(world) {
    const body = { url: `${world.site.url}/tree/`, limit: 1000, sitemap: "skip", maxConcurrency: 6 };
    await job(world, { kind: "crawl", path: "/v2/crawl", body, expected: treePaths(TREE_PAGES) });
  },

  async batch(world) {
    const expected = treePaths(TREE_PAGES).slice(0, 12);
    const body = { urls: expected.map((path) => `${world.site.url}${path}`) };
    await job(world, { kind: "batch", path: "/v2/batch/scrape", body, expected });
  },

  async search(world, round) {
    const startedAtMs = Date.now();
    const answer = await world.caller.ask("search", "/v2/search", { query: `gulls harbour ${round % 7}`, limit: 5 });
    succeeded(world, "search", { answer, startedAtMs });
  },

  async map(world) {
    const startedAtMs = Date.now();
    const answer = await world.caller.ask("map", "/v2/map", { url: `${world.site.url}/tree/`, limit: 100 });
    if (!succeeded(world, "map", { answer, startedAtMs })) return;
    if (!Array.isArray(answer.body["links"]) || answer.body["links"].length === 0) world.fault("map: no link");
  },

  async agent(world) {
    const startedAtMs = Date.now();
    const body = { prompt: "What did the keeper write down?", urls: [`${world.site.url}/tree/3`] };
    const answer = await world.caller.ask("agent", "/v2/agent", body);
    if (!succeeded(world, "agent", { answer, startedAtMs })) return;
    await ended(world, { kind: "agent", path: `/v2/agent/${String(answer.body["id"])}` });
  },

  /** Sessions do not survive a crash of their browser; what is to hold is that none stays behind. */
  async session({ caller, kills, fault }) {
    const startedAtMs = Date.now();
    const made = await caller.once("session", "/v2/browser", { body: { ttl: 60, activityTtl: 30 } });
    const path = `/v2/browser/${String(made.body["id"])}`;
    const body = { language: "node", code: "return 6 * 7" };
    const answers = [made, ...(made.status === 200 ? [await caller.once("execute", `${path}/execute`, { body })] : [])];
    if (made.status === 200) answers.push(await caller.once("session", path, { method: "DELETE" }));
    const failure = answers.find(({ status }) => status !== 200);
    if (failure !== undefined && !kills.explains(startedAtMs)) fault(`session: ${failure.status} ${short(failure)}`);
  },

  async monitor(world) {
    const { caller, fault } = world;
    const startedAtMs = Date.now();
    const urls = treePaths(TREE_PAGES).slice(1, 5);
    const targets = [{ type: "scrape", urls: urls.map((path) => `${world.site.url}${path}`) }];
    const made = await caller.ask("monitor", "/v2/monitor", { name: "soak", schedule: { text: "weekly" }, targets });
    if (!succeeded(world, "monitor", { answer: made, startedAtMs })) return;
    const { id } = made.body["data"] as { id: string };
    // A run whose answer was lost has begun all the same: its check is the newest.
    await caller.ask("monitor", `/v2/monitor/${id}/run`, {});
    const checks = await caller.ask("monitor", `/v2/monitor/${id}/checks`);
    const [check] = checks.body["data"] as { id: string }[];
    if (check === undefined) return fault("monitor: a check was lost");
    const end = await ended(world, { kind: "monitor", path: `/v2/monitor/${id}/checks/${check.id}` });
    const { pages = [], status } = (end?.body["data"] ?? {}) as { pages?: { url: string }[]; status?: string };
    compare(world, { kind: `monitor (${status})`, found: pages.map(({ url }) => url), expected: urls });
    await caller.ask("monitor", `/v2/monitor/${id}`);
    await caller.once("monitor", `/v2/monitor/${id}`, { method: "DELETE" });
  },
};

/** Works until it is told to stop, with a pause after each round; the one that is under way then comes to its end. */
export async function work(
  world: World,
  kind: string,
  { pauseMs, signal }: { pauseMs: number; signal: AbortSignal },
): Promise<void> {
  for (let round = 0; !signal.aborted; round++) {
    await ROUNDS[kind]?.(world, round).catch((error: unknown) => world.fault(`${kind}: ${String(error)}`));
    await sleep(pauseMs);
  }
}

/** A failure is a fault, unless a kill explains it. */
function succeeded(
  { kills, fault }: World,
  kind: string,
  { answer, startedAtMs }: { answer: Answer; startedAtMs: number },
): boolean {
  if (answer.status === 200 && answer.body["success"] !== false) return true;
  if (!kills.explains(startedAtMs)) fault(`${kind}: ${answer.status} ${short(answer)}`);
  return false;
}

interface Job {
  kind: string;
  path: string;
  body: object;
  /** Paths of its pages, each to be there once. */
  expected: readonly string[];
}

async function job(world: World, { kind, path, body, expected }: Job): Promise<void> {
  const startedAtMs = Date.now();
  const answer = await world.caller.ask(kind, path, body);
  if (!succeeded(world, kind, { answer, startedAtMs })) return;
  const status = `${path}/${String(answer.body["id"])}`;
  const end = await ended(world, { kind, path: status });
  if (end === undefined) return;
  if (end.body["status"] !== "completed") return world.fault(`${kind}: ended as ${String(end.body["status"])}`);
  const found: string[] = [];
  for (;;) {
    const page = await world.caller.ask(`${kind} status`, `${status}?skip=${found.length}`);
    const data = (page.body["data"] ?? []) as Page[];
    found.push(...data.map(({ metadata }) => metadata.sourceURL));
    if (data.length === 0) break;
  }
  compare(world, { kind, found, expected });
}

async function ended(world: World, { kind, path }: { kind: string; path: string }): Promise<Answer | undefined> {
  let servedMs = 0;
  for (;;) {
    const askedAtMs = Date.now();
    const answer = await world.caller.ask(`${kind} status`, path);
    servedMs += Math.min(Date.now() - askedAtMs, RESPONSE_LIMIT_MS) + POLL_MS;
    const { status } = { ...answer.body, ...(kind === "monitor" ? Object(answer.body["data"]) : {}) } as Answer["body"];
    if (!RUNNING.has(String(status))) return answer;
    if (servedMs > JOB_TIMEOUT_MS) {
      const { text } = await world.caller.ask(`${kind} status`, `${path}/urls`);
      world.fault(`${kind}: ${path} is ${String(status)} after ${JOB_TIMEOUT_MS / 1000} s: ${text.slice(0, 5_000)}`);
      return undefined;
    }
    await sleep(POLL_MS);
  }
}

const RUNNING: ReadonlySet<string> = new Set(["scraping", "processing", "queued", "running"]);

function compare(
  { site, fault }: World,
  { kind, found, expected }: { kind: string; found: readonly string[]; expected: readonly string[] },
): void {
  const paths = found.map((url) => (url.startsWith(site.url) ? url.slice(site.url.length) : url));
  const lost = expected.filter((path) => !paths.includes(path));
  const doubled = paths.filter((path, index) => paths.indexOf(path) !== index);
  const unexplained = paths.filter((path) => !expected.includes(path));
  if (lost.length > 0) fault(`${kind}: lost ${lost.join(" ")}`);
  if (doubled.length > 0) fault(`${kind}: doubled ${doubled.join(" ")}`);
  if (unexplained.length > 0) fault(`${kind}: not asked for ${unexplained.join(" ")}`);
}

function short({ text }: Answer): string {
  return text.slice(0, 300);
}
