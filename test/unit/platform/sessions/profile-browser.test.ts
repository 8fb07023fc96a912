import { afterEach, describe, expect, test, vi } from "vitest";
import { pageFunctions } from "#page-scripts";
import type { OriginState, ProfileState } from "../../../../src/core/sessions/profile.ts";
import { createProfileBrowser } from "../../../../src/platform/sessions/profile-browser.ts";

const A = "https://a.example";
const B = "https://b.example";

type Storage = Omit<OriginState, "origin">;
const holding = (value: string): Storage => ({ localStorage: [["k", value]], sessionStorage: [], databases: [] });
const profileOf = (...origins: OriginState[]): ProfileState => ({ version: 1, cookies: [], origins });

interface Command {
  id: number;
  method: string;
  params?: Record<string, unknown>;
}

/** The name of the called function, and the origin that it is to run on. */
function readCall(expression: string): { called: string | undefined; origin: string } {
  const [called, text = ""] =
    Object.entries<string>(pageFunctions).find(([, one]) => expression.startsWith(`(${one})(`)) ?? [];
  const value = JSON.parse(expression.slice(text.length + 3, -1)) as string | OriginState;
  return { called, origin: typeof value === "string" ? value : value.origin };
}

/**
 * A browser with one tab. `fails` says how often a visit to an origin fails before it succeeds, `hangs` how often it is not
 * answered at all, `unwritten` what writing an origin returns, and `silent` which methods are never answered.
 */
function browser({
  stored = {},
  fails = {},
  hangs = {},
  unwritten = {},
  silent = {},
}: Record<string, Record<string, unknown>> = {}) {
  const state = new Map(Object.entries(stored));
  const left = { fails: { ...fails } as Record<string, number>, hangs: { ...hangs } as Record<string, number> };
  const visited: string[] = [];
  const written: string[] = [];
  const closed = new Set<object>();
  let at = "null";
  const navigate = (url: string): object | undefined => {
    const { origin } = new URL(url);
    if (origin !== "null") visited.push(origin);
    if ((left.hangs[origin] ?? 0) > 0) {
      left.hangs[origin] = (left.hangs[origin] ?? 0) - 1;
      return undefined;
    }
    if ((left.fails[origin] ?? 0) > 0) {
      left.fails[origin] = (left.fails[origin] ?? 0) - 1;
      return { errorText: "net::ERR_ABORTED" };
    }
    at = origin;
    return {};
  };
  const evaluate = (expression: string): object => {
    const { called, origin } = readCall(expression);
    if (origin !== at) {
      return { result: {}, exceptionDetails: { text: "Uncaught", exception: { description: "Error: other origin" } } };
    }
    if (called === "writeStorage") {
      written.push(at);
      return { result: { value: unwritten[at] ?? 0 } };
    }
    const value = state.get(at) ?? { localStorage: [], sessionStorage: [], databases: [] };
    return { result: { value: JSON.stringify({ origin, ...value }) } };
  };
  const answerTo = ({ method, params = {} }: Command): object | undefined => {
    if (silent[method] === true) return undefined;
    switch (method) {
      case "Target.getTargets":
        return { targetInfos: [{ type: "page", url: "about:blank", targetId: "tab" }] };
      case "Target.getBrowserContexts":
        return { browserContextIds: [] };
      case "Target.attachToTarget":
        return { sessionId: "session" };
      case "Storage.getCookies":
        return { cookies: [] };
      case "Page.getNavigationHistory":
        return { entries: [] };
      case "Page.navigate":
        return navigate(String(params["url"]));
      case "Runtime.evaluate":
        return evaluate(String(params["expression"]));
      default:
        return {};
    }
  };
  const open = (): object => {
    const listeners: ((event: { data: string }) => void)[] = [];
    return {
      accept: () => undefined,
      close() {
        closed.add(this);
      },
      addEventListener: (type: string, listener: (event: { data: string }) => void) => {
        if (type === "message") listeners.push(listener);
      },
      send(text: string) {
        const command = JSON.parse(text) as Command;
        const result = answerTo(command);
        if (result === undefined) return;
        const data = JSON.stringify({ id: command.id, result });
        queueMicrotask(() => listeners.forEach((listener) => listener({ data })));
      },
    };
  };
  // Node has no answer with a WebSocket: the cast is of what is read of one.
  const binding = { fetch: async () => ({ status: 101, webSocket: open() }) } as unknown as Fetcher;
  return { profiles: createProfileBrowser(binding), visited, written, closed };
}

const visits = (...origins: string[]) => ({ origins, firstTabId: "tab" });

/** Events of the log, by name and origin. */
function logged(): { events: () => unknown[] } {
  const spy = vi.spyOn(console, "log").mockImplementation(() => undefined);
  return {
    events: () =>
      spy.mock.calls.map(([line]) => {
        const { event, origin } = JSON.parse(String(line)) as { event: string; origin: string };
        return [event, new URL(origin).origin];
      }),
  };
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("capture", () => {
  test("reads an origin again when the first try fails", async () => {
    const { events } = logged();
    const { profiles, visited } = browser({ stored: { [A]: holding("new") }, fails: { [A]: 1 } });
    const { state, unread } = await profiles.capture("browser", visits(A), profileOf({ origin: A, ...holding("old") }));
    expect(unread).toEqual([]);
    expect(state.origins).toEqual([{ origin: A, ...holding("new") }]);
    expect(visited).toEqual([A, A]);
    expect(events()).toEqual([]);
  });

  test("keeps what the profile had of an origin that cannot be read, and logs it", async () => {
    const { events } = logged();
    const { profiles } = browser({ stored: { [A]: holding("new"), [B]: holding("new") }, fails: { [B]: 2 } });
    const before = profileOf({ origin: A, ...holding("old") }, { origin: B, ...holding("old") });
    const { state, unread } = await profiles.capture("browser", visits(B, A), before);
    expect(unread).toEqual([B]);
    expect(state.origins).toEqual([
      { origin: B, ...holding("old") },
      { origin: A, ...holding("new") },
    ]);
    expect(events()).toEqual([["profile_origin_not_read", B]]);
  });

  test("keeps what the profile had of an origin that does not answer", async () => {
    vi.useFakeTimers();
    const { events } = logged();
    const { profiles, visited } = browser({ stored: { [B]: holding("new") }, hangs: { [A]: 2 } });
    const before = profileOf({ origin: A, ...holding("old") });
    const capturing = profiles.capture("browser", visits(A, B), before);
    await vi.advanceTimersByTimeAsync(30_000);
    const { state, unread } = await capturing;
    expect(unread).toEqual([A]);
    expect(state.origins).toEqual([
      { origin: A, ...holding("old") },
      { origin: B, ...holding("new") },
    ]);
    expect(visited).toEqual([A, A, B]);
    expect(events()).toEqual([["profile_origin_not_read", A]]);
  });

  test("names the origins of which something is left out", async () => {
    const { profiles } = browser({ stored: { [A]: { ...holding("new"), leftOut: 3 }, [B]: holding("new") } });
    const { state, unread, partial } = await profiles.capture("browser", visits(A, B), profileOf());
    expect([unread, partial]).toEqual([[], [A]]);
    expect(state.origins[0]).toEqual({ origin: A, ...holding("new") });
  });

  test("keeps what the profile had, however many origins the session visits", async () => {
    const ads = Array.from({ length: 150 }, (_, index) => `https://ad-${index}.example`);
    const stored = Object.fromEntries([...ads, A].map((origin) => [origin, holding("new")]));
    const { profiles, visited } = browser({ stored });
    const before = profileOf({ origin: A, ...holding("old") }, { origin: B, ...holding("old") });
    const { state } = await profiles.capture("browser", visits(...ads, A), before);
    expect(visited).toHaveLength(100);
    expect(state.origins[0]).toEqual({ origin: A, ...holding("new") });
    expect(state.origins.at(-1)).toEqual({ origin: B, ...holding("old") });
    expect(state.origins).toHaveLength(101);
  });

  test("keeps 200 origins, and those that were looked at last", async () => {
    const ads = Array.from({ length: 100 }, (_, index) => `https://ad-${index}.example`);
    const stored = Object.fromEntries(ads.map((origin) => [origin, holding("new")]));
    const many = Array.from({ length: 150 }, (_, index) => ({ origin: `https://${index}.example`, ...holding("old") }));
    const { state } = await browser({ stored }).profiles.capture("browser", visits(...ads), profileOf(...many));
    expect(state.origins.map(({ origin }) => origin)).toEqual([
      ...ads,
      ...many.slice(0, 100).map(({ origin }) => origin),
    ]);
  });

  test("takes an origin as empty only when the session has visited it", async () => {
    const before = profileOf({ origin: A, ...holding("old") }, { origin: B, ...holding("old") });
    const { state } = await browser().profiles.capture("browser", visits(A), before);
    expect(state.origins).toEqual([{ origin: B, ...holding("old") }]);
  });
});

describe("restore", () => {
  test("names origins of which a database could not be written, or whose result is none", async () => {
    const { events } = logged();
    const { profiles } = browser({ unwritten: { [A]: 1, [B]: "a page's own text" } });
    const state = profileOf({ origin: A, ...holding("a") }, { origin: B, ...holding("b") });
    expect(await profiles.restore("browser", state)).toEqual([A, B]);
    expect(events()).toEqual([
      ["profile_origin_not_restored", A],
      ["profile_origin_not_restored", B],
    ]);
  });

  test("writes an origin again when the first try fails, and goes on after one that cannot be written", async () => {
    const { events } = logged();
    const { profiles, written } = browser({ fails: { [A]: 2, [B]: 1 } });
    const state = profileOf({ origin: A, ...holding("a") }, { origin: B, ...holding("b") });
    expect(await profiles.restore("browser", state)).toEqual([A]);
    expect(written).toEqual([B]);
    expect(events()).toEqual([["profile_origin_not_restored", A]]);
  });
});

test.each(["Storage.getCookies", "Target.getTargets"])(
  "a browser that leaves %s unanswered ends the work",
  async (method) => {
    vi.useFakeTimers();
    logged();
    const { profiles, closed } = browser({ silent: { [method]: true } });
    const capturing = profiles.capture("browser", visits(A), profileOf({ origin: A, ...holding("old") }));
    const restoring = profiles.restore("browser", profileOf({ origin: A, ...holding("a") }));
    const ended = Promise.allSettled([capturing, restoring]);
    await vi.advanceTimersByTimeAsync(31_000);
    const [captured, restored] = (await Promise.race([ended, []])) as PromiseSettledResult<unknown>[];
    expect(captured).toMatchObject({ status: "rejected", reason: { name: "BrowserGoneError" } });
    expect(restored?.status).toBe(method === "Target.getTargets" ? "rejected" : "fulfilled");
    expect(closed.size).toBe(2);
  },
);
