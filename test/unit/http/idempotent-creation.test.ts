import { describe, expect, test } from "vitest";
import { DEFAULT_TEAM_ID } from "../../../src/services/account/bootstrap-keys.ts";
import { sha256Hex } from "../../../src/core/text/hash.ts";
import type { BrowserSessions } from "../../../src/ports/sessions/browser-session.ts";
import { startManualCheck } from "../../../src/services/monitors/start-monitor-check.ts";
import { createIdempotencyKeys } from "../../../src/storage/jobs/idempotency-keys.ts";
import { memoryApiKeys } from "../../fakes/memory/memory-api-keys.ts";
import { memoryBlobs } from "../../fakes/memory/memory-blobs.ts";
import { monitorService, PRICES, PRICES_URL } from "../../fakes/services/monitor-service.ts";
import { researchService } from "../../fakes/services/research-service.ts";
import { nodeD1 } from "../../fakes/memory/node-d1.ts";
import { fixedClock } from "../../fakes/fixed-clock.ts";
import { testApp } from "../../fakes/services/test-app.ts";
import { testDeps } from "../../fakes/services/test-deps.ts";
import { archivePage } from "../../../src/services/archive/page-archive.ts";
import { createJobStore } from "../../../src/storage/jobs/jobs.ts";

function service() {
  const opened: string[] = [];
  const ended = new Set<string>();
  const open = async ({ id, teamId }: { id: string; teamId: string }) => {
    opened.push(id);
    if (ended.has(id)) return { kind: "ended" };
    const life = { id, teamId, expiresAtMs: 1_800_000_000_000, recordSession: false };
    return { kind: "opened", view: { life, tokens: { cdp: "c", view: "v", drive: "d" } } };
  };
  const keys = createIdempotencyKeys(nodeD1());
  /** Requests that are lost after what they have created, before their response is stored. */
  const lost = { count: 0 };
  const ports = {
    idempotencyKeys: {
      ...keys,
      async finish(answer: Parameters<typeof keys.finish>[0]) {
        if (lost.count-- > 0) throw new Error("The isolate has ended");
        await keys.finish(answer);
      },
    },
    blobs: memoryBlobs(),
    keys: memoryApiKeys(),
    browserSessions: { open } as unknown as BrowserSessions,
  };
  const rest = monitorService({ ports });
  return { ...rest, opened, ended, lost, keyWith: (scopes: object) => insertKey(ports.keys, scopes) };
}

/** Adds a key of the first key's team with these scopes, and returns its text. */
async function insertKey(keys: ReturnType<typeof memoryApiKeys>, scopes: object): Promise<string> {
  const id = crypto.randomUUID();
  const text = `fc-${id.replaceAll("-", "")}`;
  await keys.insert({ id, teamId: DEFAULT_TEAM_ID, name: id, prefix: "fc-000000", scopes: { admin: false, ...scopes }, limits: {}, monthlyCredits: undefined, maxConcurrency: undefined, createdAtMs: 0, expiresAtMs: undefined, revokedAtMs: undefined }, await sha256Hex(text)); // prettier-ignore
  return text;
}

const keyed = (key: string) => ({ headers: { "x-idempotency-key": key } });

describe("an idempotency key", () => {
  test("creates one monitor, however often the request is repeated", async () => {
    const { post, ask } = service();
    const key = crypto.randomUUID();
    const answers = await Promise.all(Array.from({ length: 5 }, () => post("/v2/monitor", PRICES, keyed(key))));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(texts).size).toBe(1);
    expect(((await (await ask("/v2/monitor")).json()) as { data: unknown[] }).data).toHaveLength(1);
    const refused = await post("/v2/monitor", { ...PRICES, name: "Others" }, keyed(key));
    expect(refused.status).toBe(409);
    expect(refused.headers.get("x-ratelimit-remaining")).not.toBeNull();
  });

  test("starts one check of a monitor, also when the response to its request was lost", async () => {
    const { post, create, checks, drain, clock, lost } = service();
    const path = `/v2/monitor/${await create()}/run`;
    const key = crypto.randomUUID();
    lost.count = 1;
    const { id } = (await (await post(path, {}, keyed(key))).json()) as { id: string };
    await drain();
    for (let repeats = 0; repeats < 2; repeats++) {
      clock.advance(13_000);
      const repeat = await post(path, {}, keyed(key));
      expect([repeat.status, await repeat.json()]).toMatchObject([200, { id }]);
    }
    expect(await checks(path.split("/")[3] ?? "")).toHaveLength(1);
    const second = await post(path, {}, keyed(crypto.randomUUID()));
    expect([second.status, await second.json()]).toMatchObject([200, { id: expect.not.stringContaining(id) }]);
  });

  test("starts a check that one of two requests records, whose other one came before an earlier check had ended", async () => {
    const { deps, create, drain, checks } = service();
    const id = await create();
    const monitor = await deps.monitors.find(id);
    if (monitor === undefined) throw new Error("No monitor");
    const checkId = crypto.randomUUID();
    const { startCheck } = deps.monitors;
    deps.monitors.startCheck = async () => {
      deps.monitors.startCheck = startCheck;
      // The other request comes after the end of the earlier check.
      await startManualCheck(deps, monitor, checkId);
      return undefined;
    };
    expect(await startManualCheck(deps, monitor, checkId)).toMatchObject({ id: checkId, status: "queued" });
    expect(await deps.stepJobs.progress(checkId)).toMatchObject({ status: "scraping" });
    await drain();
    expect(await checks(id)).toMatchObject([{ id: checkId, status: "completed" }]);
  });

  test.each([
    { path: "/v2/search/gov", body: { query: "bell" } },
    { path: "/v2/search/developer", body: { query: "bell" } },
  ])("makes one search at $path", async ({ path, body }) => {
    const { post, asked } = researchService({
      idempotencyKeys: createIdempotencyKeys(nodeD1()),
      blobs: memoryBlobs(),
    });
    const { headers } = keyed(crypto.randomUUID());
    const first = await post(path, body, headers);
    expect(first.status).toBe(200);
    const before = asked.length;
    expect(await post(path, body, headers)).toEqual(first);
    expect(asked).toHaveLength(before);
    expect((await post(path, { query: "other" }, headers)).status).toBe(409);
  });

  test.each([{ ttl: 60 }, undefined])("opens one browser session, with the body %o", async (body) => {
    const { ask, post, opened } = service();
    const key = crypto.randomUUID();
    const create = () => body === undefined ? ask("/v2/browser", { method: "POST", ...keyed(key) }) : post("/v2/browser", body, keyed(key)); // prettier-ignore
    const [first, second] = [await create(), await create()];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await second.text()).toBe(await first.text());
    expect(opened).toHaveLength(1);
  });

  test("returns the monitor that a request has created whose response could not be stored", async () => {
    const { post, ask, clock, lost } = service();
    const key = crypto.randomUUID();
    lost.count = 1;
    expect((await post("/v2/monitor", PRICES, keyed(key))).status).toBe(200);
    clock.advance(13_000);
    const { data } = (await (await post("/v2/monitor", PRICES, keyed(key))).json()) as { data: { id: string } };
    const listed = (await (await ask("/v2/monitor")).json()) as { data: { id: string }[] };
    expect(listed.data.map(({ id }) => id)).toEqual([data.id]);
  });

  test("asks for the session whose response could not be stored, and for another when that one has ended", async () => {
    const { post, clock, lost, opened, ended } = service();
    const key = crypto.randomUUID();
    lost.count = 2;
    for (let requests = 0; requests < 3; requests++) {
      expect((await post("/v2/browser", {}, keyed(key))).status).toBe(200);
      clock.advance(13_000);
      if (opened.length === 2) ended.add(opened[0] ?? "");
    }
    const [first, second, third, fourth] = opened;
    expect(opened).toHaveLength(4);
    expect([second, third]).toEqual([first, first]);
    expect(fourth).not.toBe(first);
  });

  test("gives a key no response to another key's request that its own scopes exclude", async () => {
    const { post, keyWith } = service();
    const repeat = keyed(crypto.randomUUID());
    const body = { url: PRICES_URL, formats: ["rawHtml"] };
    const first = await (await post("/v2/scrape", body, repeat)).text();
    expect(first).toContain("rawHtml");
    const markdownKey = await keyWith({ formats: ["markdown"] });
    const refused = await post("/v2/scrape", body, { ...repeat, key: markdownKey });
    expect([refused.status, await refused.text()]).toEqual([409, expect.not.stringContaining("<title>")]);
    const peer = await post("/v2/scrape", body, { ...repeat, key: await keyWith({}) });
    expect([peer.status, await peer.text()]).toEqual([200, first]);
  });

  test("returns the first response to keys of the same scopes", async () => {
    const { post, keyWith } = service();
    const repeat = keyed(crypto.randomUUID());
    const scopes = { endpoints: ["scrape", "map"], formats: ["markdown", "html"] };
    const other = { endpoints: ["map", "scrape"], formats: ["html", "markdown"] };
    const ask = async (key: string) => await (await post("/v2/scrape", { url: PRICES_URL }, { ...repeat, key })).text();
    const first = await ask(await keyWith(scopes));
    expect(first).toContain("markdown");
    expect(await ask(await keyWith(other))).toBe(first);
  });

  test.each(["/v2/monitor", "/v2/browser", "/v2/interact"])("that is no UUID is refused at %s", async (path) => {
    const { post, opened } = service();
    expect((await post(path, path === "/v2/monitor" ? PRICES : {}, keyed("no-uuid"))).status).toBe(409);
    expect(opened).toEqual([]);
  });
});

test("a repeated request reads an archive again after one that was refused, and starts one batch", async () => {
  const clock = fixedClock();
  const database = nodeD1();
  const jobs = createJobStore(database);
  const blobs = memoryBlobs();
  const started: string[] = [];
  const outcomes = ["no_slot", "started"];
  const frontiers = {
    start: async (id: string) => {
      started.push(id);
      return outcomes.shift() ?? "started";
    },
    progress: async () => ({ status: "scraping" }),
  } as never;
  const job = { id: crypto.randomUUID(), teamId: DEFAULT_TEAM_ID, keyId: "key", kind: "crawl" as const, status: "completed" as const, apiVersion: "v2" as const, target: "https://a.example/", optionsJson: "{}", createdAtMs: clock.now(), endedAtMs: clock.now(), expiresAtMs: clock.now() + 60_000 }; // prettier-ignore
  await jobs.insert(job);
  const page = { engine: "fetch" as const, url: job.target, statusCode: 200, headers: {}, contentType: "text/html", body: "<p>Tides", warnings: [] }; // prettier-ignore
  await archivePage({ blobs, clock }, job, { itemUrl: job.target, page });
  const idempotencyKeys = createIdempotencyKeys(database);
  const { post } = testApp(testDeps({ clock, jobs, blobs, frontiers, idempotencyKeys }));
  const key = crypto.randomUUID();
  const ask = () => post(`/v2/crawl/${job.id}/reextract`, { formats: ["links"] }, keyed(key));
  expect((await ask()).status).toBe(429);
  expect(started).toHaveLength(1);
  const second = await ask();
  expect([second.status, started]).toEqual([200, [started[0], started[0]]]);
  // The archive may be gone by the time of a further one.
  blobs.objects.clear();
  const { id } = (await second.json()) as { id: string };
  const third = await ask();
  expect([third.status, await third.json()]).toMatchObject([200, { id }]);
  expect(started).toHaveLength(2);
});
