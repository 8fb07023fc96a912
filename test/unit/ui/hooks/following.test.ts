import { parseHTML } from "linkedom";
import { h } from "preact";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { JobList } from "../../../../src/ui/jobs/job-list.tsx";
import { copyText } from "../../../../src/ui/parts/copy-button.tsx";
import { SignIn } from "../../../../src/ui/parts/sign-in.tsx";
import { toBodyDraft } from "../../../../src/ui/playground/request/controls/body-editor.tsx";
import { useBodyDraft } from "../../../../src/ui/playground/request/use-body-draft.ts";
import { FollowJob } from "../../../../src/ui/playground/response/follow-job.tsx";
import type { Session } from "../../../../src/ui/sessions/session-types.ts";
import { useSessionWatch } from "../../../../src/ui/sessions/watch/use-session-watch.ts";
import { pass, running, shown } from "./running.ts";

// The modules read the storage when they are loaded.
vi.hoisted(() => {
  for (const name of ["sessionStorage", "localStorage"]) vi.stubGlobal(name, { getItem: () => null });
});

const { document, HTMLElement } = parseHTML("<main></main>");

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", Object.assign(document, { visibilityState: "visible" }));
  vi.stubGlobal("HTMLElement", HTMLElement);
  for (const name of ["sessionStorage", "localStorage"]) vi.stubGlobal(name, { getItem: () => null });
  vi.stubGlobal("location", { href: "https://orbweaver.example/", hash: "" });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a job that a response started", () => {
  const followed = (answers: (() => Response)[], isForgotten = false) => {
    const paths: string[] = [];
    vi.stubGlobal("fetch", async (path: string, { signal }: RequestInit) => {
      paths.push(path);
      await new Promise((resolve) => setTimeout(resolve, 100));
      signal?.throwIfAborted();
      return (answers.shift() ?? (() => Response.json({ status: "completed" })))();
    });
    const states: unknown[] = [];
    const job = () => ({ id: "j", statusPath: "/v2/crawl/j", crawlView: true });
    const view = shown(() =>
      h(FollowJob, { job: job(), isForgotten, update: ({ body }) => states.push((body as { status: string }).status) }),
    );
    return { ...view, paths, states };
  };
  const scraping = (): Response => Response.json({ status: "scraping" });

  test("is followed to its end, also when the view is rendered again with the same job meanwhile", async () => {
    const { again, paths, states } = followed([scraping, scraping]);
    for (let at = 0; at < 10; at++) {
      await pass(350);
      again();
    }
    await pass(5_000);
    expect(states).toEqual(["scraping", "scraping", "completed"]);
    expect(paths).toHaveLength(3);
  });

  test("is asked for again when there is no response", async () => {
    const { paths, states } = followed([
      () => {
        throw new TypeError("Failed to fetch");
      },
    ]);
    await pass(1_000);
    expect([paths.length, states]).toEqual([1, []]);
    await pass(5_000);
    expect([paths.length, states]).toEqual([2, ["completed"]]);
  });

  test("is not read unasked where the service deletes what it has handed over", async () => {
    const { paths } = followed([scraping], true);
    await pass(5_000);
    expect(paths).toEqual([]);
  });

  test("is not followed after the view is left", async () => {
    const { leave, paths } = followed([scraping]);
    await pass(50);
    leave();
    await pass(20_000);
    expect(paths).toHaveLength(1);
  });
});

describe("what is watched of a session", () => {
  const sockets: EventTarget[] = [];
  beforeEach(() => {
    sockets.length = 0;
    class Socket extends EventTarget {
      constructor() {
        super();
        sockets.push(this);
      }
      send(): void {}
      close(): void {}
    }
    vi.stubGlobal("WebSocket", Socket);
  });
  const say = (message: object): void =>
    void sockets.at(-1)?.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(message) }));
  const log = (value: string, timestamp: number): void =>
    say({ sessionId: "s", method: "Runtime.consoleAPICalled", params: { type: "log", args: [{ type: "string", value }], timestamp } }); // prettier-ignore

  test("goes on after a loss of the connection, which is shown", async () => {
    const session = { status: "active", cdpUrl: "https://orbweaver.example/cdp" } as Session;
    const { now } = running(() => useSessionWatch(session, true));
    await pass(100);
    sockets[0]?.dispatchEvent(new Event("open"));
    log("one", 1.5);
    await pass(100);
    expect(now()?.watched?.state).toBe("connected");
    sockets[0]?.dispatchEvent(new Event("close"));
    await pass(100);
    expect(now()?.watched?.state).toBe("closed");
    now()?.reconnect();
    await pass(100);
    expect([sockets.length, now()?.watched?.state]).toEqual([2, "connecting"]);
    sockets[1]?.dispatchEvent(new Event("open"));
    // The browser reports the earlier lines to each connection.
    log("one", 1.5);
    log("two", 2.5);
    await pass(100);
    expect(now()?.watched?.state).toBe("connected");
    expect(now()?.watched?.console.map(({ text }) => text)).toEqual(["one", "two"]);
  });

  test("has an action once that the scripts of two connections send", async () => {
    const session = { status: "active", cdpUrl: "https://orbweaver.example/cdp" } as Session;
    const { now } = running(() => useSessionWatch(session, true));
    await pass(100);
    const payload = JSON.stringify({ kind: "click", locator: { by: "css", text: "a" } });
    const click = (): void => say({ sessionId: "s", method: "Runtime.bindingCalled", params: { name: "orbweaverAction", payload } }); // prettier-ignore
    click();
    click();
    await pass(200);
    click();
    await pass(100);
    expect(now()?.watched?.actions).toHaveLength(2);
  });
});

test("the list of jobs takes the filter of a link that is opened in it", async () => {
  const paths: string[] = [];
  vi.stubGlobal("fetch", async (path: string) => {
    paths.push(path);
    return Response.json({ jobs: [], cursor: null });
  });
  vi.stubGlobal("history", { replaceState: () => undefined });
  let query = new URLSearchParams("kind=extract");
  const view = shown(() => h(JobList, { query }));
  await pass(500);
  query = new URLSearchParams();
  view.again();
  await pass(500);
  const lists = paths.filter((path) => path.startsWith("/v2/jobs?"));
  expect(lists[0]).toContain("kind=extract");
  expect(lists.at(-1)).not.toContain("kind=");
  view.leave();
});

test("the text of the JSON editor is replaced by a request from outside, and by no other one", async () => {
  let request = { operation: "post /v2/scrape", parameters: {}, body: {} as Record<string, unknown> };
  const { now, again } = running(() => useBodyDraft(request, (next) => void (request = next)));
  now()?.write(toBodyDraft('{"url":  "a"}'));
  again();
  await pass(10);
  expect([request.body, now()?.draft?.text]).toEqual([{ url: "a" }, '{"url":  "a"}']);
  now()?.write(toBodyDraft('{"url":'));
  again();
  await pass(10);
  expect([request.body, now()?.draft?.text]).toEqual([{ url: "a" }, '{"url":']);
  request = { ...request, body: { url: "of another run" } };
  again();
  await pass(10);
  expect(now()?.draft).toBeUndefined();
});

test("the sign-in asks for what every key may read", async () => {
  const paths: string[] = [];
  vi.stubGlobal("fetch", async (path: string) => {
    paths.push(path);
    return Response.json({}, { status: 401 });
  });
  const { leave } = shown(() => h(SignIn, {}));
  await pass(100);
  leave();
  expect(paths).toEqual(["/v2/team/queue-status"]);
});

test("a text is copied over plain HTTP, which has no navigator.clipboard", async () => {
  const copied: string[] = [];
  vi.stubGlobal("navigator", {});
  const copy = (): boolean => {
    copied.push(document.querySelector("textarea")?.value ?? "");
    return copied.length < 2;
  };
  Object.assign(document, { execCommand: copy });
  Object.assign(Object.getPrototypeOf(document.createElement("textarea")) as object, { select: () => undefined });
  await copyText("a <b>");
  expect(copied).toEqual(["a <b>"]);
  expect(document.querySelector("textarea")).toBeNull();
  await expect(copyText("c")).rejects.toThrow("refused");
});
