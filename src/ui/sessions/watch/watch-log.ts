/** A line of a page's console. */
export interface ConsoleLine {
  level: "error" | "warning" | "info";
  text: string;
  atMs: number;
}

/** A request of a page. */
export interface NetworkLine {
  id: string;
  method: string;
  url: string;
  type: string;
  /** HTTP status; undefined until the response, and for failed requests. */
  status?: number;
  /** Reason that the request failed. */
  failure?: string;
  bytes?: number;
  /** Seconds of the browser's monotonic clock. */
  startedAt: number;
  ms?: number;
}

/** Console and requests of a session. Lists have at most `MAX_LINES` items, the latest. */
export interface WatchLog {
  console: readonly ConsoleLine[];
  network: readonly NetworkLine[];
}

export const EMPTY_LOG: WatchLog = { console: [], network: [] };
const MAX_LINES = 1_000;
const MAX_TEXT = 4_000;

type Params = Record<string, unknown>;

/** Returns the log after an event of the Chrome DevTools Protocol. Other events change nothing. */
export function withEvent(log: WatchLog, method: string, params: Params): WatchLog {
  switch (method) {
    case "Runtime.consoleAPICalled":
      return withLine(log, {
        level: levelOf(params["type"]),
        text: textOf(params["args"]),
        atMs: toNumber(params["timestamp"]),
      });
    case "Runtime.exceptionThrown": {
      const { exceptionDetails, timestamp } = params;
      const { text, exception } = fieldsOf(exceptionDetails);
      const description = fieldsOf(exception)["description"];
      return withLine(log, { level: "error", text: toText(description ?? text), atMs: toNumber(timestamp) });
    }
    case "Log.entryAdded": {
      const { level, text, url, timestamp } = fieldsOf(params["entry"]);
      const place = typeof url === "string" && url !== "" ? ` (${url})` : "";
      return withLine(log, { level: levelOf(level), text: `${toText(text)}${place}`, atMs: toNumber(timestamp) });
    }
    case "Network.requestWillBeSent": {
      const { url, method: verb } = fieldsOf(params["request"]);
      const line = {
        id: toText(params["requestId"]),
        method: toText(verb),
        url: toText(url),
        type: toText(params["type"]),
      };
      const others = log.network.filter(({ id }) => id !== line.id);
      return { ...log, network: [...others, { ...line, startedAt: toNumber(params["timestamp"]) }].slice(-MAX_LINES) };
    }
    case "Network.responseReceived":
      return changed(log, params, () => ({ status: toNumber(fieldsOf(params["response"])["status"]) }));
    case "Network.loadingFinished":
      return changed(log, params, (line) => ({
        bytes: toNumber(params["encodedDataLength"]),
        ms: since(line, params),
      }));
    case "Network.loadingFailed":
      return changed(log, params, (line) => ({ failure: toText(params["errorText"]), ms: since(line, params) }));
    default:
      return log;
  }
}

/** Adds a line. A connection that is opened again reports the earlier lines of the page once more, with their times. */
function withLine(log: WatchLog, line: ConsoleLine): WatchLog {
  const { text, atMs } = line;
  if (atMs > 0 && log.console.some((one) => one.atMs === atMs && one.text === text)) return log;
  return { ...log, console: [...log.console, line].slice(-MAX_LINES) };
}

function changed(log: WatchLog, params: Params, change: (line: NetworkLine) => Partial<NetworkLine>): WatchLog {
  const id = params["requestId"];
  return { ...log, network: log.network.map((line) => (line.id === id ? { ...line, ...change(line) } : line)) };
}

function since({ startedAt }: NetworkLine, params: Params): number {
  return Math.max(0, Math.round((toNumber(params["timestamp"]) - startedAt) * 1_000));
}

function levelOf(type: unknown): ConsoleLine["level"] {
  if (type === "error" || type === "assert") return "error";
  return type === "warning" ? "warning" : "info";
}

/** Returns the arguments of a console call as text: values as they are, objects by their description. */
function textOf(args: unknown): string {
  if (!Array.isArray(args)) return "";
  return args
    .map((arg: unknown) => {
      const { value, description, type } = fieldsOf(arg);
      if (value !== undefined) return typeof value === "string" ? value : JSON.stringify(value);
      return toText(description ?? type);
    })
    .join(" ")
    .slice(0, MAX_TEXT);
}

function fieldsOf(value: unknown): Params {
  return typeof value === "object" && value !== null ? (value as Params) : {};
}

function toText(value: unknown): string {
  return typeof value === "string" ? value.slice(0, MAX_TEXT) : "";
}

function toNumber(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
