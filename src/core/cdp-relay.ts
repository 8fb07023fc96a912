import { filterCommand, type TabRequest } from "./cdp-filter.ts";

/** A connection between somebody who drives a session and its browser. */
export interface CdpRelay {
  /** Cuts it on both sides. */
  cut(reason: string): void;
  /** Resolves when it has ended, whoever ended it. */
  closed: Promise<void>;
}

/** What a relay asks the session's guard for. */
export interface RelayGuard {
  /** Opens a tab whose requests are looked at from the first one on. @returns its target id */
  openTab(tab: TabRequest): Promise<string>;
  /** Resolves when a target's requests are looked at. */
  admitted(targetId: string): Promise<void>;
  /** Something is going on. */
  onCommand(): void;
}

const MAX_REASON_CHARS = 100;

/**
 * Passes messages on between a client's socket and a browser's, both not accepted yet. Commands that reach past the
 * browser are answered here with a refusal, tabs are opened by the guard, and a client hears of a new target only when
 * the guard sees its requests: until then it could load what it likes there.
 */
export function relayCdp(client: WebSocket, browser: WebSocket, guard: RelayGuard): CdpRelay {
  let end = (): void => undefined;
  const closed = new Promise<void>((resolve) => (end = resolve));
  const cut = (reason: string): void => {
    for (const socket of [client, browser]) close(socket, reason);
    end();
  };
  const send = (socket: WebSocket, text: string): void => {
    try {
      socket.send(text);
    } catch {
      cut("The connection failed");
    }
  };
  client.addEventListener("message", ({ data }) => {
    guard.onCommand();
    const filtered = filterCommand(toText(data));
    if (filtered.kind === "pass") return send(browser, filtered.text);
    if (filtered.kind === "answer") return send(client, filtered.text);
    const { reply, tab } = filtered;
    guard.openTab(tab).then(
      (targetId) => send(client, JSON.stringify({ ...reply, result: { targetId } })),
      (error: unknown) => send(client, JSON.stringify({ ...reply, error: { code: -32000, message: String(error) } })),
    );
  });
  let before: Promise<void> | undefined;
  browser.addEventListener("message", ({ data }) => {
    const text = toText(data);
    const targetId = attachedTarget(text);
    if (before === undefined && targetId === undefined) return send(client, text);
    // What comes after waits as well: events mean something in their order alone.
    const mine = Promise.all([
      before,
      targetId === undefined ? undefined : guard.admitted(targetId).catch(() => undefined),
    ])
      .then(() => send(client, text))
      .finally(() => {
        if (before === mine) before = undefined;
      });
    before = mine;
  });
  for (const socket of [client, browser]) {
    socket.addEventListener("close", () => cut("The other side left"));
    socket.addEventListener("error", () => cut("The connection failed"));
    socket.binaryType = "arraybuffer";
    socket.accept();
  }
  return { cut, closed };
}

/** The target that a message says was attached to; undefined for every other message. */
function attachedTarget(text: string): string | undefined {
  if (!text.startsWith('{"method":"Target.attachedToTarget"')) return undefined;
  const { params } = JSON.parse(text) as { params?: { targetInfo?: { targetId?: string } } };
  return params?.targetInfo?.targetId;
}

function toText(data: string | ArrayBuffer | Blob): string {
  return data instanceof ArrayBuffer ? new TextDecoder().decode(data) : String(data);
}

function close(socket: WebSocket, reason: string): void {
  try {
    socket.close(1000, reason.slice(0, MAX_REASON_CHARS));
  } catch {
    // Closed already.
  }
}
