import { afterEach, describe, expect, it, vi } from "vitest";
import { endOwnBrowser } from "../../../../src/platform/browser/own-browsers.ts";

/** A browser's side of a DevTools connection. */
class FakeSocket extends EventTarget {
  binaryType = "";
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
    // The other side sees it.
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
