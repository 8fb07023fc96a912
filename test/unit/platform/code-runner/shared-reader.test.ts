import { afterEach, expect, test, vi } from "vitest";
import type { PageInput } from "../../../../src/content/read-page-input.ts";
import { unpackCall } from "../../../../src/core/packed-call.ts";
import { createSharedReader, newSharedReaderState } from "../../../../src/platform/code-runner/shared-reader.ts";
import type { SharedReader } from "../../../../src/ports/sessions/code-runner.ts";

const INPUT: PageInput = {
  page: { url: "https://a.example/", contentType: "text/html" },
  body: new TextEncoder().encode("<p>Tea</p>"),
  isText: true,
  clean: { onlyMainContent: true, includeTags: [], excludeTags: [] },
  pdf: undefined,
  parts: [{ name: "facts" }],
  isStreamed: false,
  limits: { steps: 1, bytes: 1, timeMs: 1 },
};
const input = () => INPUT;

afterEach(() => vi.useRealTimers());

interface Parts {
  isBusy?: boolean;
  starts?: string;
  answer?: (request: Request) => Promise<Response>;
}

function reader({ isBusy = true, starts = "ready", answer = () => Promise.resolve(Response.json("read")) }: Parts): {
  shared: SharedReader;
  asked: string[];
  rest: () => Promise<unknown>;
} {
  const asked: string[] = [];
  const deferred: Promise<unknown>[] = [];
  const binding = { fetch: (url: string, init: RequestInit) => answer(new Request(url, init)) } as unknown as Fetcher;
  const shared = createSharedReader({
    binding,
    url: "http://host/secret",
    fetcher: ((url: string) => {
      asked.push(url);
      return Promise.resolve(new Response(starts));
    }) as typeof fetch,
    defer: (work) => void deferred.push(work),
    isBusy: () => isBusy,
    state: newSharedReaderState(),
  });
  return { shared, asked, rest: () => Promise.all(deferred) };
}

test("a service that is not busy asks for no process", async () => {
  const { shared, asked } = reader({ isBusy: false });
  expect(await shared.read(input)).toBeUndefined();
  expect(asked).toEqual([]);
});

test("a busy service asks for it once, and reads the pages after its start there", async () => {
  const calls: unknown[] = [];
  const answer = async (request: Request): Promise<Response> => {
    calls.push(unpackCall(new Uint8Array(await request.arrayBuffer())));
    return Response.json({ kind: "read" });
  };
  const { shared, asked, rest } = reader({ answer });
  expect(await Promise.all([shared.read(input), shared.read(input)])).toEqual([undefined, undefined]);
  await rest();
  expect(asked).toEqual(["http://host/secret/start-reader"]);
  expect(await shared.read(input)).toEqual({ value: { kind: "read" } });
  const { body, pdf: _, ...value } = INPUT;
  expect(calls).toEqual([{ value, bytes: body }]);
});

test("a process that had no page for 45 seconds may have ended, and is asked for again when the service is busy", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const { shared, asked, rest } = reader({});
  await shared.read(input);
  await rest();
  vi.setSystemTime(Date.now() + 40_000);
  expect(await shared.read(input)).toEqual({ value: "read" });
  vi.setSystemTime(Date.now() + 40_000);
  expect(await shared.read(input)).toEqual({ value: "read" });
  vi.setSystemTime(Date.now() + 46_000);
  expect(await shared.read(input)).toBeUndefined();
  await rest();
  expect(asked).toEqual(["http://host/secret/start-reader", "http://host/secret/start-reader"]);
  expect(await shared.read(input)).toEqual({ value: "read" });
});

test("a host that does not start it is asked again after five seconds", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const { shared, asked, rest } = reader({ starts: "" });
  await shared.read(input);
  await rest();
  vi.setSystemTime(Date.now() + 4_000);
  await shared.read(input);
  expect(asked).toHaveLength(1);
  vi.setSystemTime(Date.now() + 2_000);
  await shared.read(input);
  expect(asked).toHaveLength(2);
});

test("the ninth page at a time is left to the service", async () => {
  let finish: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (finish = resolve));
  const { shared, rest } = reader({ answer: () => held.then(() => Response.json("read")) });
  await shared.read(input);
  await rest();
  const eight = Array.from({ length: 8 }, () => shared.read(input));
  expect(await shared.read(() => expect.unreachable("No input is made for it"))).toBeUndefined();
  finish();
  expect(await Promise.all(eight)).toEqual(Array.from({ length: 8 }, () => ({ value: "read" })));
  expect(await shared.read(input)).toEqual({ value: "read" });
});

test("pages of requests that were cancelled, which end nothing, are forgotten after ten seconds", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  let isHeld = true;
  const answer = (): Promise<Response> =>
    isHeld ? new Promise(() => undefined) : Promise.resolve(Response.json("read"));
  const { shared, rest } = reader({ answer });
  await shared.read(input);
  await rest();
  for (let page = 0; page < 8; page++) void shared.read(input);
  isHeld = false;
  expect(await shared.read(input)).toBeUndefined();
  vi.setSystemTime(Date.now() + 11_000);
  expect(await shared.read(input)).toEqual({ value: "read" });
});

test.each([
  ["breaks off", () => Promise.reject(new Error("The connection was lost"))],
  ["answers with an error", () => Promise.resolve(new Response("", { status: 500 }))],
])("a process that %s is ended once, and started for a later page", async (_, answer) => {
  const { shared, asked, rest } = reader({ answer });
  await shared.read(input);
  await rest();
  const failed = await Promise.all([shared.read(input), shared.read(input)]);
  expect(failed.map((result) => result !== undefined && "error" in result)).toEqual([true, true]);
  await rest();
  expect(asked).toEqual(["http://host/secret/start-reader", "http://host/secret/end-reader"]);
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + 6_000);
  expect(await shared.read(input)).toBeUndefined();
  expect(asked.at(-1)).toBe("http://host/secret/start-reader");
});
