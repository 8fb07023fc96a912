import { TargetEvents } from "./target-events.ts";
import { filterCommand, type FilteredCommand } from "./cdp-filter.ts";
import { MessageTurns } from "./message-turns.ts";
import { messageCost } from "./command.ts";
import { SessionTraffic } from "./session-traffic.ts";

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
/** Codes of RFC 6455: a normal end, data that cannot be accepted, and an end after which the client is to try again later. */
const NORMAL = 1000;
const UNSUPPORTED_DATA = 1003;
const TRY_AGAIN_LATER = 1013;
/** Time in which other work has had its turn, when a timer that was set before goes off. */
const TURN_MS = 25;

/**
 * Relays messages between the sockets of a driver and a browser, both not accepted yet. Refuses commands outside the
 * CDP policy. Tabs open blank, and a driver sees a new target only when the guard intercepts its requests: before that,
 * the driver could load any URL there. A driver that exceeds what a session's drivers may send and receive is cut off, and one
 * that sends bytes: commands are text, and bytes that are none take a second to decode.
 *
 * @param traffic That of the session, for which `SessionTraffic.connect` has admitted this connection.
 */
export function relayCdp(
  client: WebSocket,
  browser: WebSocket,
  guard: RelayGuard,
  traffic: SessionTraffic = new SessionTraffic(),
): CdpRelay {
  let end = (): void => undefined;
  const closed = new Promise<void>((resolve) => (end = resolve));
  let isCut = false;
  const cut = (reason: string, code = NORMAL): void => {
    if (isCut) return;
    isCut = true;
    for (const socket of [client, browser]) close(socket, reason, code);
    traffic.disconnect();
    targets.forget();
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
  let unread = 0;
  const dropUnread = (): void => {
    traffic.read(unread);
    unread = 0;
  };
  const toClient = (text: string): void => {
    if (isCut) return;
    unread += text.length;
    if (!traffic.send(text.length, Date.now())) return cut("The client does not read its messages", TRY_AGAIN_LATER);
    send(client, text);
  };
  const targets = new TargetEvents({
    traffic,
    onTooMany: () => cut("Too many attached targets", TRY_AGAIN_LATER),
    whenIntercepted: (targetId, url) => guard.whenIntercepted(targetId, url).catch(() => false),
    toBrowser: (text) => send(browser, text),
  });
  const execute = async (filtered: FilteredCommand): Promise<void> => {
    switch (filtered.kind) {
      case "pass":
        return send(browser, filtered.text);
      case "reply":
        return toClient(filtered.text);
      case "redirected_request": {
        const may = await guard.mayRequest(filtered.url).catch(() => false);
        return send(browser, may ? filtered.text : filtered.blocking);
      }
      case "attach": {
        if (!traffic.mayAttach) return toClient(filtered.tooMany);
        const may = await guard.whenIntercepted(filtered.targetId).catch(() => false);
        return may ? send(browser, filtered.text) : toClient(filtered.refusal);
      }
      case "open_tab":
        return targets.opening(filtered) ? send(browser, filtered.text) : toClient(filtered.refusal);
    }
  };
  const turns = new MessageTurns<string>({
    handle: (text) => void execute(filterCommand(text)),
    sizeOf: ({ length }) => length,
    costOf: messageCost,
    onTooMany: () => cut("Too many messages"),
  });
  let turn: ReturnType<typeof setTimeout> | undefined;
  let turnMs = 0;
  /**
   * Returns the time at which other work last had a turn. While a socket has messages without a pause, nothing else runs, and
   * the time that passes is none in which more messages may come.
   */
  const timeOfTurn = (): number => {
    if (turn !== undefined) return turnMs;
    turn = setTimeout(() => (turn = undefined), TURN_MS);
    return (turnMs = Date.now());
  };
  client.addEventListener("message", ({ data }) => {
    if (isCut) return;
    // It is assumed to have read what came before: nothing else tells.
    dropUnread();
    if (typeof data !== "string") return cut("Commands are text", UNSUPPORTED_DATA);
    guard.onCommand();
    turns.add(data);
  });
  void closed.then(() => {
    turns.close();
    clearTimeout(turn);
  });
  let before: Promise<void> | undefined;
  browser.addEventListener("message", ({ data }) => {
    if (isCut) return;
    if (!traffic.receive(sizeOf(data), timeOfTurn())) return cut("The browser sends too many events", TRY_AGAIN_LATER);
    const shown = targets.shown(toText(data));
    if (before === undefined && !(shown instanceof Promise)) return shown === undefined ? undefined : toClient(shown);
    // Later messages wait as well, to preserve the order of events.
    const mine = Promise.all([before, shown])
      .then(([, text]) => (text === undefined ? undefined : toClient(text)))
      .finally(() => {
        if (before === mine) before = undefined;
      });
    before = mine;
  });
  client.addEventListener("close", dropUnread);
  client.addEventListener("error", dropUnread);
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

function sizeOf(data: string | ArrayBuffer | Blob): number {
  if (typeof data === "string") return data.length;
  return data instanceof ArrayBuffer ? data.byteLength : data.size;
}

function close(socket: WebSocket, reason: string, code: number): void {
  try {
    socket.close(code, reason.slice(0, MAX_REASON_CHARS));
  } catch {
    // Already closed.
  }
}
