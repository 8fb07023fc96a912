import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

/** A storage in memory, which can be full. */
function memoryStorage() {
  const values = new Map<string, string>();
  let isFull = false;
  return {
    values,
    fill: () => void (isFull = true),
    getItem: (name: string) => values.get(name) ?? null,
    removeItem: (name: string) => void values.delete(name),
    setItem: (name: string, value: string) => {
      if (isFull) throw new Error("QuotaExceededError");
      values.set(name, value);
    },
  };
}

let local: ReturnType<typeof memoryStorage>;
let session: ReturnType<typeof memoryStorage>;
let page: EventTarget;

beforeEach(() => {
  [local, session, page] = [memoryStorage(), memoryStorage(), new EventTarget()];
  vi.stubGlobal("localStorage", local);
  vi.stubGlobal("sessionStorage", session);
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.resetModules();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe("a list in the browser's storage", () => {
  const open = async () => {
    const { createStoredList } = await import("../../../../src/ui/parts/stored-list.ts");
    return createStoredList<string>("list");
  };

  test("keeps what another tab has added since it was read", async () => {
    const list = await open();
    local.values.set("orbweaver.list", '["other"]');
    list.change((items) => [...items, "own"]);
    expect(local.values.get("orbweaver.list")).toBe('["other","own"]');
    expect(list.get()).toEqual(["other", "own"]);
  });

  test("follows the changes of other tabs", async () => {
    const list = await open();
    local.values.set("orbweaver.list", '["other"]');
    page.dispatchEvent(Object.assign(new Event("storage"), { key: "orbweaver.else" }));
    expect(list.get()).toEqual([]);
    page.dispatchEvent(Object.assign(new Event("storage"), { key: "orbweaver.list" }));
    expect(list.get()).toEqual(["other"]);
  });

  test("goes on in memory while the storage is full", async () => {
    const list = await open();
    local.fill();
    list.change((items) => [...items, "a"]);
    list.change((items) => [...items, "b"]);
    expect(list.get()).toEqual(["a", "b"]);
  });
});

test("a request is recorded over plain HTTP, which has no crypto.randomUUID", async () => {
  const { getRandomValues } = crypto;
  vi.stubGlobal("crypto", { getRandomValues: getRandomValues.bind(crypto) });
  const { history, recordRequest } = await import("../../../../src/ui/playground/history.ts");
  const request = { operation: "post /v2/scrape", parameters: {}, body: {} };
  const id = recordRequest({ request, method: "post", path: "/v2/scrape", status: 200, ms: 1 });
  expect(id).toMatch(/^[0-9a-f]{8}$/);
  expect(history.get()).toMatchObject([{ id, request }]);
});

describe("a link with a key", () => {
  const KEY = `fc-${"1".repeat(32)}`;
  const OTHER = `fc-${"2".repeat(32)}`;
  const ADMIN = `fc-${"a".repeat(32)}`;

  const follow = async (hash: string) => {
    local.values.set("orbweaver.keys", JSON.stringify({ key: KEY, adminKey: ADMIN }));
    vi.stubGlobal("location", { hash, pathname: "/" });
    vi.stubGlobal("history", { replaceState: () => undefined });
    vi.stubGlobal("confirm", () => true);
    const { isKey, keys, takeKeysFromAddress } = await import("../../../../src/ui/api/keys.ts");
    expect([KEY, OTHER, ADMIN].every(isKey)).toBe(true);
    takeKeysFromAddress();
    const remembered = JSON.parse(local.values.get("orbweaver.keys") ?? "null") as unknown;
    return { keys: keys.get(), remembered };
  };

  test("that is in use changes nothing", async () => {
    const same = { key: KEY, adminKey: ADMIN };
    expect(await follow(`#key=${KEY}`)).toEqual({ keys: same, remembered: same });
  });

  test("that is in use takes its admin key, which is remembered as well", async () => {
    const next = { key: KEY, adminKey: OTHER };
    expect(await follow(`#key=${KEY}&admin=${OTHER}`)).toEqual({ keys: next, remembered: next });
  });

  test("that is another one replaces the sign-in", async () => {
    expect(await follow(`#key=${OTHER}`)).toMatchObject({ keys: { key: OTHER }, remembered: null });
  });
});
