/** Untrusted work for an isolate: one call of a method of one of the programs in `src/sandbox`. */
export interface CodeRun {
  /** Chosen at random; the isolate's way to its browser is known by it. */
  runId: string;
  /** Runs of one session may share a process; runs of two sessions never do. */
  sessionId: string;
  program: "node-runner" | "bash-runner" | "document-reader";
  method: "run" | "command" | "read";
  /** The method's one argument: plain data and byte arrays. */
  input: unknown;
  /** The caller's module `user-code.js`, for programs that import it. */
  userCode?: string;
  /** Wall-clock time after which the work is ended from outside. */
  limitMs: number;
  /** Memory of a local process above which it is ended. On the platform every isolate has 128 MB. */
  limitMib: number;
}

/** Memory for the code of a session. A process that does nothing has 90 MiB. */
export const CODE_LIMIT_MIB = 512;

/**
 * How a run ended. `time`: it was ended after its time; `memory`: it took more than it may; `crash`: its process or
 * isolate ended for another reason; `busy`: no place became free in time. After `crash` and `busy` it may be tried again.
 */
export type CodeEnd = { kind: "done"; value: unknown } | { kind: "stopped"; reason: StopReason };

export const STOP_REASONS = ["time", "memory", "crash", "busy"] as const;
export type StopReason = (typeof STOP_REASONS)[number];

/** What isolates of untrusted code are made with, wherever they run. */
export const ISOLATE_COMPATIBILITY = { compatibilityDate: "2026-10-01", compatibilityFlags: ["nodejs_compat"] };

/**
 * Messages between the service and a process that runs code for it, over one WebSocket for each run. Channels are the
 * connections that the code opens to its browser: the process asks for one, the service answers with an HTTP status,
 * 101 for an open one.
 */
export type CodeMessage =
  | { kind: "run"; text: string }
  | { kind: "done"; text: string }
  | { kind: "failed"; text: string }
  | { kind: "open"; channel: number }
  | { kind: "answer"; channel: number; status: number }
  | { kind: "data"; channel: number; text: string }
  | { kind: "close"; channel: number };

/** On the wire: the kind, then the channel where there is one, then the text, parted by spaces. */
export function writeCodeMessage(message: CodeMessage): string {
  switch (message.kind) {
    case "run":
    case "done":
    case "failed":
      return `${message.kind} ${message.text}`;
    case "data":
      return `data ${message.channel} ${message.text}`;
    case "answer":
      return `answer ${message.channel} ${message.status}`;
    case "open":
    case "close":
      return `${message.kind} ${message.channel}`;
  }
}

/** Undefined for what is no such message. */
export function readCodeMessage(wire: string): CodeMessage | undefined {
  const [kind, rest] = partAtSpace(wire);
  if (kind === "run" || kind === "done" || kind === "failed") return { kind, text: rest };
  const [number, text] = partAtSpace(rest);
  const channel = Number(number);
  if (!Number.isSafeInteger(channel)) return undefined;
  if (kind === "open" || kind === "close") return { kind, channel };
  if (kind === "answer") return { kind, channel, status: Number(text) };
  return kind === "data" ? { kind, channel, text } : undefined;
}

function partAtSpace(text: string): [string, string] {
  const at = text.indexOf(" ");
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
