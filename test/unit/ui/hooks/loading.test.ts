import { parseHTML } from "linkedom";
import { h } from "preact";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { useLoaded } from "../../../../src/ui/api/use-loaded.ts";
import { CrawlDetail } from "../../../../src/ui/jobs/detail/crawl-detail.tsx";
import { readErrors } from "../../../../src/ui/jobs/detail/read-errors.ts";
import type { JobDetails, JobPages } from "../../../../src/ui/jobs/job-types.ts";
import { useJob } from "../../../../src/ui/jobs/live/use-job.ts";
import { useLivePages } from "../../../../src/ui/jobs/live/use-live-pages.ts";
import { after, pass, running, shown } from "./running.ts";

// The modules read the storage when they are loaded.
vi.hoisted(() => {
  for (const name of ["sessionStorage", "localStorage"]) vi.stubGlobal(name, { getItem: () => null });
});

const { document } = parseHTML("<main></main>");
const PLACE = "https://orbweaver.example/";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", Object.assign(document, { visibilityState: "visible" }));
  vi.stubGlobal("location", { href: PLACE });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Answers requests with what `answer` returns for their paths, and counts them. */
function service(answer: (path: string) => unknown, ms = 0): string[] {
  const paths: string[] = [];
  vi.stubGlobal("fetch", async (path: string): Promise<Response> => {
    paths.push(path);
    const body = answer(path);
    return await after(ms, body instanceof Response ? body : Response.json(body));
  });
  return paths;
}

describe("what a view loads", () => {
  test("arrives when it takes longer than the interval", async () => {
    let loads = 0;
    const view = running(() => useLoaded(async () => await after(7_000, ++loads), [], 5_000));
    await pass(8_000);
    expect(view.now()).toMatchObject({ value: 1, isLoading: false });
    await pass(10_000);
    expect(view.now()?.value).toBe(2);
  });

  test("is loaded again at once when it is asked for", async () => {
    let loads = 0;
    const view = running(() => useLoaded(async () => await after(7_000, ++loads), [], 5_000));
    await pass(1_000);
    view.now()?.reload();
    await pass(7_500);
    expect(view.now()?.value).toBe(2);
  });
});

const detailsOf = (status: "running" | "completed", documents: number): JobDetails => ({
  job: {
    id: "j",
    kind: "crawl",
    status,
    target: PLACE,
    apiVersion: "v2",
    keyId: "k",
    statusPath: "/v2/crawl/j",
    createdAt: "",
    endedAt: null,
    expiresAt: "",
  },
  durationMs: 0,
  request: null,
  // The other numbers are not read.
  pages: { documents } as JobPages,
  pageTimes: null,
});

describe("the errors of a crawl", () => {
  const failure = (id: string): object => ({ id, timestamp: "", url: id, error: "Timeout" });

  test("are read part by part, as many as are asked for", async () => {
    const rest = "http://inside/v2/crawl/j/errors?cursor=2";
    const paths = service((path) =>
      path.includes("cursor")
        ? { errors: [failure("b")], robotsBlocked: ["c"] }
        : { errors: [failure("a")], robotsBlocked: [], next: rest },
    );
    const first = readErrors("/v2/crawl/j", 1);
    const both = readErrors("/v2/crawl/j", 2);
    await pass(100);
    expect(await first).toMatchObject({ errors: [{ id: "a" }], robotsBlocked: [], hasMore: true });
    expect(await both).toMatchObject({ errors: [{ id: "a" }, { id: "b" }], robotsBlocked: ["c"], hasMore: false });
    expect(paths.at(-1)).toBe("/v2/crawl/j/errors?cursor=2");
  });
});

test("a job that answers slowly is asked for once at a time", async () => {
  const paths = service(() => detailsOf("running", 1), 3_500);
  const view = running(() => useJob("j"));
  await pass(4_000);
  expect(paths).toHaveLength(1);
  expect(view.now()?.details).toBeDefined();
  await pass(8_500);
  expect(paths).toHaveLength(3);
});

test.each(["running", "completed"] as const)(
  "the pages of a %s crawl with zero data retention are read when they are asked for",
  async (status) => {
    const sockets: string[] = [];
    class Socket extends EventTarget {
      constructor(url: URL) {
        super();
        sockets.push(url.pathname);
      }
      close(): void {}
    }
    vi.stubGlobal("WebSocket", Socket);
    const paths = service(() => ({ data: [] }));
    const { job, ...details } = detailsOf(status, 2);
    const view = running(() => useLivePages({ ...details, job: { ...job, zeroDataRetention: true } }, () => {}));
    await pass(500);
    expect([...paths, ...sockets, view.now()?.connection, view.now()?.isLoading]).toEqual(["unread", false]);
    view.now()?.read();
    await pass(500);
    expect([...paths, ...sockets]).toEqual([status === "running" ? "/v2/crawl/j" : "/v2/crawl/j?skip=0&limit=2"]);
  },
);

test("a list of pages with zero data retention says when they are deleted, and not that it deletes them", async () => {
  service(() => ({ data: [], urls: [] }));
  const { job, ...more } = detailsOf("completed", 250);
  const counts = {
    limit: null,
    total: 250,
    completed: 250,
    failed: 0,
    pending: 0,
    skipped: 0,
    discovered: 250,
    creditsUsed: 250,
  };
  const details: JobDetails = { ...more, pages: counts, job: { ...job, zeroDataRetention: true } };
  const watched = { details, atMs: 0, error: undefined, refresh: async () => details };
  const { place, leave } = shown(() => h(CrawlDetail, { watched }));
  await pass(500);
  expect([...place.querySelectorAll("button")].map(({ textContent }) => textContent)).toContain("List pages");
  const text = place.textContent;
  expect(text).toContain(
    "deletes its pages once all of them were read, from the first to the last, or else five minutes after the end; with a webhook, not before its last event is delivered or given up",
  );
  leave();
});

describe("the pages of a crawl whose connection is lost", () => {
  let sockets: EventTarget[] = [];
  beforeEach(() => {
    sockets = [];
    class Socket extends EventTarget {
      constructor() {
        super();
        sockets.push(this);
      }
      close(): void {}
    }
    vi.stubGlobal("WebSocket", Socket);
  });
  const pageAt = (at: number): object => ({ metadata: { sourceURL: String(at) } });
  const readPart = (path: string): { data: object[] } => {
    const { searchParams } = new URL(path, PLACE);
    const [skip, limit] = [Number(searchParams.get("skip")), Number(searchParams.get("limit"))];
    return { data: Array.from({ length: limit }, (_, at) => pageAt(skip + at)) };
  };
  const say = (type: string, data: unknown): void =>
    void sockets[0]?.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify({ type, data }) }));
  const lose = (): void => void sockets[0]?.dispatchEvent(Object.assign(new Event("close"), { reason: "" }));

  /** A crawl of `count` pages, of which the socket has told two before it was lost. */
  const lost = async (count: number) => {
    let details = detailsOf("running", count);
    const view = running(() => useLivePages(details, () => {}));
    await pass(200);
    say("catchup", { data: [pageAt(0), pageAt(1)] });
    await pass(200);
    lose();
    await pass(200);
    const becomes = async (next: JobDetails): Promise<void> => {
      details = next;
      view.again();
      await pass(200);
    };
    return { urls: () => view.now()?.pages.map(({ url }) => url), now: view.now, becomes };
  };

  test("are read over HTTP, also those that come later and at the end, without those that are held", async () => {
    const paths = service(readPart);
    const { urls, becomes } = await lost(3);
    expect(urls()).toEqual(["2", "1", "0"]);
    await becomes(detailsOf("running", 5));
    expect(urls()).toEqual(["4", "3", "2", "1", "0"]);
    await becomes(detailsOf("completed", 6));
    expect(urls()?.[0]).toBe("5");
    expect(paths.map((path) => path.replace("/v2/crawl/j?", ""))).toEqual([
      "skip=2&limit=1",
      "skip=3&limit=2",
      "skip=5&limit=1",
    ]);
  });

  test("are the latest where many are not held", async () => {
    const paths = service(readPart);
    const { urls, now } = await lost(5_000);
    expect([urls()?.length, urls()?.[0], now()?.seen]).toEqual([100, "4999", 5_000]);
    expect(paths).toHaveLength(1);
  });

  test("are read again at the end after a failure, which is shown if it stays", async () => {
    let isDown = true;
    const paths = service((path) => (isDown ? Response.json({ error: "Busy" }, { status: 503 }) : readPart(path)));
    const { urls, now, becomes } = await lost(3);
    expect([now()?.error, paths.length]).toEqual([undefined, 1]);
    await becomes(detailsOf("completed", 3));
    expect([now()?.error?.message, paths.length]).toEqual(["Busy", 2]);
    isDown = false;
    now()?.retry();
    await pass(400);
    expect([urls(), now()?.error]).toEqual([["2", "1", "0"], undefined]);
  });
});
