import { beforeAll, expect, test } from "vitest";
import { endSession, openSession } from "../sessions/browser-client.ts";
import { call, sitePage } from "../client.ts";
import { inject } from "../inject.ts";
import { isShort } from "../../sample.ts";
import { makeKey } from "./make-key.ts";

const METHODS = ["get", "post", "put", "patch", "delete"] as const;
/** Parameters of a path that are no ids, with a value that the path accepts. */
const OTHER_PARAMETERS: Record<string, string> = { what: "version", part: "0", pageId: "0" };
/** Ids of papers, which belong to no team. */
const PUBLIC = /^\/v2\/search\/research\//;
/** Opened by a token in the URL, whatever the key is: without it they respond before they look the id up. */
const BY_TOKEN = /^\w+ (?:\/view\/|\/replay\/|\/v2\/parse\/upload\/)/;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const AT_A_TIME = 12;
/** What the path of an operation names a kind of object by, where that is not the kind. */
const NAMES: Record<string, RegExp> = { session: /browser|interact/ };

interface Created {
  id?: string;
  data?: { id?: string; uploadUrl?: string; metadata?: { scrapeId?: string } };
}

/** Ids of objects of one team by their kind. */
let owned: Record<string, string>;
/** A key of another team. */
let stranger: string;

async function create(path: string, body: unknown): Promise<Created> {
  const { status, text } = await call(path, { body });
  expect(status, `${path}: ${text}`).toBe(200);
  return JSON.parse(text) as Created;
}

beforeAll(async () => {
  stranger = await makeKey({ name: "stranger", teamId: crypto.randomUUID() });
  const url = sitePage("/final");
  const targets = [{ type: "scrape", urls: [url] }];
  const idOf = async (path: string, body: unknown): Promise<string> => (await create(path, body)).id ?? "";
  const monitor = (await create("/v2/monitor", { name: "own", schedule: { text: "hourly" }, targets })).data?.id ?? "";
  const upload = await create("/v2/parse/upload-url", { filename: "report.pdf" });
  const keys = await call("/v2/team/keys", { service: { url: inject("serviceUrl"), key: inject("adminKey") } });
  const session = await openSession();
  owned = {
    key: keys.text.match(UUID)?.[0] ?? "",
    upload: upload.data?.uploadUrl?.match(UUID)?.[0] ?? "",
    scrape: (await create("/v2/scrape", { url })).data?.metadata?.scrapeId ?? "",
    search: await idOf("/v2/search", { query: "road" }),
    crawl: await idOf("/v2/crawl", { url, limit: 1 }),
    batch: await idOf("/v2/batch/scrape", { urls: [url] }),
    extract: await idOf("/v2/extract", { urls: [url], prompt: "Title" }),
    agent: await idOf("/v2/agent", { prompt: "Where does the road end?", urls: [url] }),
    research: await idOf("/v1/deep-research", { query: "road", maxDepth: 1, maxUrls: 1 }),
    llmstxt: await idOf("/v1/llmstxt", { url, maxUrls: 1 }),
    monitor,
    check: await idOf(`/v2/monitor/${monitor}/run`, {}),
    session: session.id,
  };
  return () => endSession(session.id);
}, 60_000);

interface Schema {
  $ref?: string;
  example?: unknown;
}
interface Operation {
  requestBody?: { content: Record<string, { schema?: Schema }> };
}
interface Description {
  paths: Record<string, Partial<Record<(typeof METHODS)[number], Operation>>>;
  components: { schemas: Record<string, Schema> };
}

/** Operations with an id in their path, and a body that each accepts. */
async function operationsWithIds(): Promise<{ path: string; method: string; body: unknown }[]> {
  const { paths, components } = JSON.parse((await call("/openapi.json")).text) as Description;
  const bodyOf = (operation: Operation | undefined): unknown => {
    const schema = operation?.requestBody?.content["application/json"]?.schema;
    return schema?.example ?? components.schemas[schema?.$ref?.split("/").at(-1) ?? ""]?.example ?? {};
  };
  return Object.entries(paths)
    .filter(([path]) => !PUBLIC.test(path))
    .filter(([path]) => [...path.matchAll(/\{(\w+)\}/g)].some(([, name = ""]) => OTHER_PARAMETERS[name] === undefined))
    .flatMap(([path, methods]) =>
      METHODS.filter((method) => method in methods).map((method) => ({ path, method, body: bodyOf(methods[method]) })),
    );
}

/** The response to the stranger, without the ids that it repeats and without the figures that count requests. */
async function responseToStranger(method: string, path: string, body?: unknown): Promise<string> {
  const { status, headers, text } = await call(path, {
    method: method.toUpperCase(),
    ...(method === "get" ? {} : { body }),
    service: { url: inject("serviceUrl"), key: stranger },
  });
  const { receipt: _, ...rest } = JSON.parse(text) as { receipt?: unknown };
  return `${status} ${headers.get("content-type")} ${JSON.stringify(rest).replaceAll(UUID, "ID")}`;
}

/**
 * The kinds of objects whose ids an operation is tried with. In the short form these are the kinds that its path names, such
 * as a batch and a scrape for `/v2/batch/scrape/{id}`, and all kinds if it names none.
 */
function kindsFor(path: string): [kind: string, id: string][] {
  const all = Object.entries(owned);
  const named = all.filter(([kind]) => (NAMES[kind] ?? new RegExp(kind)).test(path));
  return isShort() && named.length > 0 ? named : all;
}

/** Runs tasks, some at a time. */
async function runAll(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  const waiting = [...tasks];
  const work = async (): Promise<void> => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) await task();
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
}

test("every operation responds to the id of another team's object as to one that never existed", async () => {
  expect(Object.entries(owned).filter(([, id]) => id === "")).toEqual([]);
  const operations = await operationsWithIds();
  expect(operations.length).toBeGreaterThan(40);
  const different: string[] = [];
  const statuses = new Map<string, number>();
  await runAll(
    operations.map(({ path, method, body }) => async () => {
      const respond = (id: string): Promise<string> =>
        responseToStranger(
          method,
          path.replaceAll(/\{(\w+)\}/g, (_, name: string) => OTHER_PARAMETERS[name] ?? id),
          body,
        );
      const unknown = await respond(crypto.randomUUID());
      statuses.set(`${method} ${path}`, Number(unknown.slice(0, 3)));
      for (const [kind, id] of kindsFor(path)) {
        const given = await respond(id);
        if (given !== unknown) different.push(`${method} ${path} of a ${kind}: ${given} instead of ${unknown}`);
      }
    }),
  );
  expect(different).toEqual([]);
  // A response before the look-up of the id would prove nothing.
  const early = [...statuses].filter(([name, status]) => !BY_TOKEN.test(name) && ![401, 403, 404].includes(status));
  expect(early).toEqual([]);
  // What the stranger asked to delete or to change is as it was.
  for (const kind of ["crawl", "batch/scrape", "extract", "agent", "monitor"]) {
    const id = owned[kind.split("/")[0] ?? ""];
    const { status, text } = await call(`/v2/${kind}/${id}`);
    expect({ status, isCancelled: text.includes('"cancelled"') }, kind).toEqual({ status: 200, isCancelled: false });
  }
});

test("a batch, a check and feedback name no object of another team either", async () => {
  const monitor = {
    name: "own",
    schedule: { text: "hourly" },
    targets: [{ type: "scrape", urls: [sitePage("/final")] }],
  };
  const service = { url: inject("serviceUrl"), key: stranger };
  const { data } = JSON.parse((await call("/v2/monitor", { body: monitor, service })).text) as Created;
  const feedback = { endpoint: "scrape", rating: "bad", note: "no text at all" };
  const requests: [kind: string, method: string, write: (id: string) => [path: string, body?: unknown]][] = [
    ["batch", "post", (id) => ["/v2/batch/scrape", { urls: [sitePage("/final")], appendToId: id }]],
    ["check", "get", (id) => [`/v2/monitor/${data?.id}/checks/${id}`]],
    ["scrape", "post", (id) => ["/v2/feedback", { ...feedback, jobId: id }]],
  ];
  for (const [kind, method, write] of requests) {
    const given = await responseToStranger(method, ...write(owned[kind] ?? ""));
    expect(given, kind).toBe(await responseToStranger(method, ...write(crypto.randomUUID())));
    expect(given, kind).toMatch(/^40[034] /);
  }
});
