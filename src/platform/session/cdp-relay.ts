import { filterCommand } from "../../core/cdp-filter.ts";

/** A connection between somebody who drives a session and its browser. */
export interface CdpRelay {
  /** Cuts it on both sides. */
  cut(reason: string): void;
  /** Resolves when it has ended, whoever ended it. */
  closed: Promise<void>;
}

const MAX_REASON_BYTES = 120;

/**
 * Passes messages on between a client's socket and a browser's, both not accepted yet. Commands that reach past the
 * browser are answered here with a refusal. `onCommand` hears that something is going on.
 */
export function relayCdp(client: WebSocket, browser: WebSocket, onCommand: () => void): CdpRelay {
  client.accept();
  browser.accept();
  let end = (): void => undefined;
  const closed = new Promise<void>((resolve) => (end = resolve));
  const cut = (reason: string, code = 1000): void => {
    for (const socket of [client, browser]) close(socket, code, reason);
    end();
  };
  client.addEventListener("message", ({ data }) => {
    if (typeof data !== "string") return;
    onCommand();
    const { kind, text } = filterCommand(data);
    send(kind === "pass" ? browser : client, text);
  });
  browser.addEventListener("message", ({ data }) => {
    if (typeof data === "string") send(client, data);
  });
  for (const socket of [client, browser]) {
    socket.addEventListener("close", () => cut("The other side left"));
    socket.addEventListener("error", () => cut("The connection failed"));
  }
  return { cut: (reason) => cut(reason), closed };
}

/** A message to a side that has left is lost; the leaving itself ends the relay. */
function send(socket: WebSocket, text: string): void {
  try {
    socket.send(text);
  } catch {
    close(socket, 1000, "The connection failed");
  }
}

function close(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason.slice(0, MAX_REASON_BYTES));
  } catch {
    // Closed already.
  }
}
