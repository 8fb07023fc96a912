import { filterCommand } from "./cdp-filter.ts";

/** A connection between somebody who drives a session and its browser. */
export interface CdpRelay {
  /** Cuts it on both sides. */
  cut(reason: string): void;
  /** Resolves when it has ended, whoever ended it. */
  closed: Promise<void>;
}

/** What a relay asks the session's guard for. */
export interface RelayGuard {
  /** Resolves when a target's requests are looked at; then it is sent to an address, if one is given. */
  admitted(targetId: string, url?: string): Promise<void>;
  /** Whether a request may go to an address. */
  mayCall(url: string): Promise<boolean>;
  /** Something is going on. */
  onCommand(): void;
}

const MAX_REASON_CHARS = 100;
/** Targets that load nothing themselves, and that the guard is not attached to: the browser, and a tab around its pages. */
const EMPTY_TYPES = new Set(["browser", "tab"]);

/**
 * Passes messages on between a client's socket and a browser's, both not accepted yet. Commands that reach past the
 * browser are answered here with a refusal. Tabs open blank, and a client hears of a new target only when the guard sees
 * its requests: until then it could load what it likes there.
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
  /** Commands that open tabs and were not answered yet, with where the tabs are to go. */
  const opening = new Map<number, string>();
  client.addEventListener("message", ({ data }) => {
    guard.onCommand();
    const filtered = filterCommand(toText(data));
    if (filtered.kind === "pass") return send(browser, filtered.text);
    if (filtered.kind === "answer") return send(client, filtered.text);
    if (filtered.kind === "sent_elsewhere") {
      const asked = guard.mayCall(filtered.url).catch(() => false);
      return void asked.then((may) => send(browser, may ? filtered.text : filtered.blocking));
    }
    opening.set(filtered.id, filtered.url);
    send(browser, filtered.text);
  });
  let before: Promise<void> | undefined;
  browser.addEventListener("message", ({ data }) => {
    const text = toText(data);
    const target = newTarget(text, opening);
    if (before === undefined && target === undefined) return send(client, text);
    // What comes after waits as well: events mean something in their order alone.
    const admission = target === undefined ? undefined : guard.admitted(target.id, target.url).catch(() => undefined);
    const mine = Promise.all([before, admission])
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

/** The target that a message tells of for the first time: as attached, or as what a command has opened. */
function newTarget(text: string, opening: Map<number, string>): { id: string; url?: string } | undefined {
  const isAttached = text.startsWith('{"method":"Target.attachedToTarget"');
  if (!isAttached && opening.size === 0) return undefined;
  const { id, params, result } = JSON.parse(text) as {
    id?: number;
    params?: { targetInfo?: { targetId?: string; type?: string } };
    result?: { targetId?: string };
  };
  const { targetId: attached, type = "" } = (isAttached ? params?.targetInfo : undefined) ?? {};
  if (attached !== undefined) return EMPTY_TYPES.has(type) ? undefined : { id: attached };
  const url = id === undefined ? undefined : opening.get(id);
  if (id === undefined || url === undefined) return undefined;
  opening.delete(id);
  return result?.targetId === undefined ? undefined : { id: result.targetId, url };
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
