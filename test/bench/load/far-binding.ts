import { setTimeout as sleep } from "node:timers/promises";

type Listener = (event: unknown) => void;

/**
 * A browser binding that leads to one running Chromium, with every message delayed as if it were `ms` away, there and
 * back. Node cannot make a response with status 101, hence the casts of what is read of one.
 * @param address of the browser's own DevTools endpoint
 */
export function farBinding(address: string, ms: number): Fetcher {
  const connect = async (): Promise<unknown> => {
    await sleep(ms);
    const socket = new WebSocket(address);
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve, { once: true });
      socket.addEventListener("error", reject, { once: true });
    });
    return { status: 101, body: null, webSocket: new FarSocket(socket, ms) };
  };
  return { fetch: connect } as unknown as Fetcher;
}

/** A WebSocket as a Worker has it, whose messages are on their way for half of the round trip. */
class FarSocket {
  binaryType = "arraybuffer";
  readonly #socket: WebSocket;
  readonly #halfMs: number;

  constructor(socket: WebSocket, ms: number) {
    this.#socket = socket;
    this.#halfMs = ms / 2;
  }

  accept(): void {
    // A WebSocket of Node is open from the start.
  }

  addEventListener(type: keyof WebSocketEventMap, listener: Listener): void {
    this.#socket.addEventListener(type, (event) => void setTimeout(() => listener(event), this.#halfMs));
  }

  send(text: string): void {
    setTimeout(() => this.#socket.send(text), this.#halfMs);
  }

  close(): void {
    setTimeout(() => this.#socket.close(), this.#halfMs);
  }
}
