import { TargetEvents } from "./target-events.ts";
import { filterCommand, type FilteredCommand } from "./cdp-filter.ts";
import { MessageTurns } from "./message-turns.ts";

/** A connection between a driver of a session and its browser. */
export interface CdpRelay {
  /** Closes it on both sides. */
  cut(reason: string): void;
  /** Resolves when it has ended, on either side. */
  closed: Promise<void>;
}

/** Interface of the session's guard for a relay. */
export interface RelayGuard {
  /**
   * Resolves when the guard intercepts a target's requests; then navigates it to `url`, if set. False for a target that
   * drivers may not see.
   */
  whenIntercepted(targetId: string, url?: string): Promise<boolean>;
  /** Reports whether a URL may be requested. */
  mayRequest(url: string): Promise<boolean>;
  /** Called when a driver's connection has ended and the browser has reverted its settings. */
  onLeft(): void;
  /** Called on activity. */
  onCommand(): void;
}

const MAX_REASON_CHARS = 100;

/**
 * Relays messages between the sockets of a driver and a browser, both not accepted yet. Refuses commands outside the
 * CDP policy. Tabs open blank, and a driver sees a new target only when the guard intercepts its requests: before that,
 * the driver could load any URL there.
 */
export function relayCdp(client: WebSocket, browser: WebSocket, guard: RelayGuard): CdpRelay {
  let end = (): void => undefined;
  const closed = new Promise<void>((resolve) => (end = resolve));
  let isCut = false;
  const cut = (reason: string): void => {
    if (isCut) return;
    isCut = true;
    for (const socket of [client, browser]) close(socket, reason);
    guard.onLeft();
    end();
  };
  const send = (socket: WebSocket, text: string): void => {
    try {
      socket.send(text);
    } catch {
      cut("The connection failed");
    }
  };
  const targets = new TargetEvents({
    whenIntercepted: (targetId, url) => guard.whenIntercepted(targetId, url).catch(() => false),
    toBrowser: (text) => send(browser, text),
  });
  const execute = async (filtered: FilteredCommand): Promise<void> => {
    switch (filtered.kind) {
      case "pass":
        return send(browser, filtered.text);
      case "reply":
        return send(client, filtered.text);
      case "redirected_request": {
        const may = await guard.mayRequest(filtered.url).catch(() => false);
        return send(browser, may ? filtered.text : filtered.blocking);
      }
      case "attach": {
        const may = await guard.whenIntercepted(filtered.targetId).catch(() => false);
        return may ? send(browser, filtered.text) : send(client, filtered.refusal);
      }
      case "open_tab":
        return targets.opening(filtered) ? send(browser, filtered.text) : send(client, filtered.refusal);
    }
  };
  const turns = new MessageTurns<string>({
    handle: (text) => void execute(filterCommand(text)),
    sizeOf: ({ length }) => length,
    onTooMany: () => cut("Too many messages"),
  });
  client.addEventListener("message", ({ data }) => {
    guard.onCommand();
    turns.add(toText(data));
  });
  void closed.then(() => turns.close());
  let before: Promise<void> | undefined;
  browser.addEventListener("message", ({ data }) => {
    const shown = targets.shown(toText(data));
    if (before === undefined && !(shown instanceof Promise))
      return shown === undefined ? undefined : send(client, shown);
    // Later messages wait as well, to preserve the order of events.
    const mine = Promise.all([before, shown])
      .then(([, text]) => (text === undefined ? undefined : send(client, text)))
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

function toText(data: string | ArrayBuffer | Blob): string {
  return data instanceof ArrayBuffer ? new TextDecoder().decode(data) : String(data);
}

function close(socket: WebSocket, reason: string): void {
  try {
    socket.close(1000, reason.slice(0, MAX_REASON_CHARS));
  } catch {
    // Already closed.
  }
}
