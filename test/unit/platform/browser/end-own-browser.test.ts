import { afterEach, describe, expect, it, vi } from "vitest";
import { keyOfEndpoint } from "../../../../src/core/own-browsers.ts";
import { disposeContext } from "../../../../src/platform/browser/browser-sessions.ts";
import { endOwnBrowser, OwnBrowsers } from "../../../../src/platform/browser/own-browsers.ts";

/** A browser's side of a DevTools connection. */
class FakeSocket extends EventTarget {
  binaryType = "";
  isClosed = false;
  readonly #answer: (socket: FakeSocket, id: number) => void;

  constructor(answer: (socket: FakeSocket, id: number) => void) {
    super();
    this.#answer = answer;
  }

  accept(): void {
    // Messages flow at once.
  }

  send(text: string): void {
    const { id } = JSON.parse(text) as { id: number };
    queueMicrotask(() => this.#answer(this, id));
  }

  close(): void {
    this.isClosed = true;
  }

  receive(message: object): void {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }

  end(): void {
    this.dispatchEvent(Object.assign(new Event("close"), { code: 1006 }));
  }
}

function bindingOf(response: () => { webSocket: unknown; status: number }): Fetcher {
  return { fetch: () => Promise.resolve({ body: null, ...response() }) } as unknown as Fetcher;
}

function browserThat(answer: (socket: FakeSocket, id: number) => void): Fetcher {
  return bindingOf(() => ({ status: 101, webSocket: new FakeSocket(answer) }));
}

afterEach(() => vi.useRealTimers());

describe("endOwnBrowser", () => {
  it("is true when the connection ends after the response", async () => {
    const binding = browserThat((socket, id) => {
      socket.receive({ id, result: {} });
      socket.end();
    });
    expect(await endOwnBrowser(binding, "own-a")).toBe(true);
  });

  it("is true when the connection ends without a response", async () => {
    expect(
      await endOwnBrowser(
        browserThat((socket) => socket.end()),
        "own-a",
      ),
    ).toBe(true);
  });

  it("is false when the browser refuses", async () => {
    const binding = browserThat((socket, id) => socket.receive({ id, error: { message: "Not allowed" } }));
    expect(await endOwnBrowser(binding, "own-a")).toBe(false);
  });

  it("is false when the browser does not end in time", async () => {
    vi.useFakeTimers();
    const ending = endOwnBrowser(
      browserThat((socket, id) => socket.receive({ id, result: {} })),
      "own-a",
    );
    await vi.advanceTimersByTimeAsync(6_000);
    expect(await ending).toBe(false);
  });

  it("is false when the browser does not answer in time", async () => {
    vi.useFakeTimers();
    const ending = endOwnBrowser(
      browserThat(() => undefined),
      "own-a",
    );
    await vi.advanceTimersByTimeAsync(11_000);
    expect(await ending).toBe(false);
  });

  it("is false when the endpoint cannot be reached", async () => {
    const binding = { fetch: () => Promise.reject(new Error("connection refused")) } as unknown as Fetcher;
    expect(await endOwnBrowser(binding, "own-a")).toBe(false);
  });

  it("is true when the endpoint knows the browser no more", async () => {
    expect(
      await endOwnBrowser(
        bindingOf(() => ({ status: 404, webSocket: null })),
        "own-a",
      ),
    ).toBe(true);
  });
});

describe("a browser that does not answer", () => {
  const ENDPOINT = "http://127.0.0.1:9222";
  const SESSION = `own-${keyOfEndpoint(ENDPOINT)}-1`;

  it.each([
    { what: "a look for it", use: (binding: Fetcher) => new OwnBrowsers(ENDPOINT).take(binding, []) },
    { what: "its end", use: (binding: Fetcher) => endOwnBrowser(binding, SESSION) },
    { what: "the end of a context", use: (binding: Fetcher) => disposeContext(binding, SESSION, "context") },
  ])("keeps no connection after $what", async ({ use }) => {
    vi.useFakeTimers();
    vi.spyOn(console, "log").mockImplementation(() => undefined);
    const sockets: FakeSocket[] = [];
    const opened = Promise.withResolvers<void>();
    const late = bindingOf(() => {
      const socket = new FakeSocket(() => undefined);
      sockets.push(socket);
      return { status: 101, webSocket: socket };
    });
    const slow = { fetch: (url: string) => opened.promise.then(() => late.fetch(url)) } as unknown as Fetcher;
    const uses = Promise.allSettled([use(late), use(slow)]);
    await vi.advanceTimersByTimeAsync(16_000);
    expect(await Promise.race([uses, "late"])).not.toBe("late");
    opened.resolve();
    await vi.advanceTimersByTimeAsync(100);
    expect(sockets.map(({ isClosed }) => isClosed)).toEqual([true, true]);
    vi.restoreAllMocks();
  });
});
