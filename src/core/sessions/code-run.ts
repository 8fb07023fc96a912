/** Untrusted work for an isolate: one call of a method of one of the programs in `src/sandbox`. */
export interface CodeRun {
  /** Random id; identifies the isolate's connection to its browser. */
  runId: string;
  /** Runs of one session may share a process; runs of two sessions never do. */
  sessionId: string;
  /** The team of the session; undefined for pages. Teams share the processes of a local service. */
  teamId?: string;
  program: "node-runner" | "bash-runner" | "page-reader";
  method: "run" | "command" | "read" | "task";
  /** The method's only argument: plain data and byte arrays. */
  input: unknown;
  /** The caller's module `user-code.js`, for programs that import it. */
  userCode?: string;
  /** Wall-clock time after which the run is stopped. */
  limitMs: number;
  /** Memory above which a local process is stopped. On the platform every isolate has 128 MB. */
  limitMib: number;
}

/** Session of the processes that read pages and documents. */
export const PAGES_SESSION = "pages";
/** Pages and documents that one team has read apart at a time: each holds a processor. */
export const PAGES_APART_OF_A_TEAM = 3;

/** Runs of a session's code that have a process of a local service at a time; the shell has one beside them. */
export const LOCAL_CODE_RUNS = 3;

/** Memory limit for a session's code. An idle process takes 90 MiB. */
export const CODE_LIMIT_MIB = 512;

/**
 * End of a run. `time`: stopped at the time limit; `memory`: exceeded the memory limit; `crash`: its process or isolate
 * ended for another reason; `busy`: no slot became free in time. After `crash` and `busy` it may be retried.
 */
export type CodeEnd = { kind: "done"; value: unknown } | { kind: "stopped"; reason: StopReason };

export const STOP_REASONS = ["time", "memory", "crash", "busy"] as const;
export type StopReason = (typeof STOP_REASONS)[number];

/** Compatibility settings of all isolates for untrusted code. */
export const ISOLATE_COMPATIBILITY = { compatibilityDate: "2026-10-01", compatibilityFlags: ["nodejs_compat"] };

/**
 * Messages between the service and a process that runs code for it, over one WebSocket for each run. Channels are the
 * connections that the code opens to its browser: the process requests one, the service returns an HTTP status,
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

/** Encodes a message: the kind, the channel if any, and the text, separated by spaces. */
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

/** Decodes a message; undefined for invalid input. */
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
