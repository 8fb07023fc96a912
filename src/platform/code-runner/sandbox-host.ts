import { fromJsonWithBytes, toJsonWithBytes } from "../../core/text/bytes-in-json.ts";
import { countJsonValues } from "../../core/text/count-json-values.ts";
import { nextTurn } from "../../core/in-turns.ts";
import { CodeFrameReader, codeFrames, type ReadMessage } from "../../core/code-frames.ts";
import {
  LOCAL_CODE_RUNS,
  STOP_REASONS,
  type CodeEnd,
  type CodeMessage,
  type CodeRun,
  type StopReason,
} from "../../core/sessions/code-run.ts";
import { Budget } from "../../core/waits/budget.ts";
import type { CodeRunner, OpenBrowserConnection } from "../../ports/sessions/code-runner.ts";
import { within } from "../browser/abortable.ts";

interface SandboxHostOptions {
  /** URL of `tools/sandbox-host`, with its secret as the path: the setting `SANDBOX_URL`. */
  url: string;
  /** Fetches from servers that the settings name. */
  fetcher: typeof fetch;
}

/** The host ends a run at its limit; a host that does not is abandoned after this. */
const HOST_GRACE_MS = 5_000;
/** On a busy machine a process takes seconds to start, and the host gives up at 20. */
const START_GRACE_MS = 25_000;
const ASK_LIMIT_MS = 10_000;

/** Runs code in processes that the sandbox host of a local service starts and ends. */
export function createSandboxHostRunner({ url, fetcher }: SandboxHostOptions): CodeRunner {
  const ask = async (action: string, params: Record<string, string>): Promise<string> => {
    const asked = fetcher(`${url}/${action}?${new URLSearchParams(params).toString()}`);
    const response = await within(asked, ASK_LIMIT_MS, undefined);
    return (await response?.text()) ?? "";
  };
  const silently = (action: string, params: Record<string, string>): Promise<void> =>
    ask(action, params).then(
      () => undefined,
      () => undefined,
    );
  return {
    codeRuns: LOCAL_CODE_RUNS,
    async run(run, openBrowser) {
      const { runId, sessionId, teamId = "", limitMs, limitMib } = run;
      const limits = { limitMs: String(limitMs), limitMib: String(limitMib) };
      const words = new URLSearchParams({ session: sessionId, team: teamId, run: runId, ...limits });
      const headers = { Upgrade: "websocket" };
      const opening = fetcher(`${url}/run?${words.toString()}`, { headers }).catch(() => undefined);
      const response = await within(opening, limitMs + START_GRACE_MS, undefined);
      if (response?.webSocket == null) return stopped(response?.status === 503 ? "busy" : "crash");
      const link = new RunLink(response.webSocket, openBrowser);
      try {
        const ended = await within(link.run(run), limitMs + HOST_GRACE_MS, "lost" as const);
        if (ended !== "lost") return ended;
      } finally {
        link.close();
      }
      return stopped(toReason(await ask("end", { run: runId }).catch(() => "")));
    },
    warmUp: ({ sessionId, teamId }) => silently("warm", { session: sessionId, team: teamId }),
    forget: (sessionId) => silently("forget", { session: sessionId }),
  };
}

function stopped(reason: StopReason): CodeEnd {
  return { kind: "stopped", reason };
}

function toReason(text: string): StopReason {
  return STOP_REASONS.find((reason) => reason === text) ?? "crash";
}

/** Limit of unanswered commands to the browser, which the service holds in memory. */
const MAX_IN_FLIGHT = 2_000;
/** Limit of browser messages that the service holds while the code does not read them. */
const MAX_UNHEARD_CHARS = 64_000_000;

/**
 * Frames of a process at once and in a second, and their characters and bytes. A run sends a command for each answer of its
 * browser, and the relay takes 2,000 a second; its result has up to 256 MB. Frames for closed channels count too.
 */
const FRAMES_AT_ONCE = 8_000;
const FRAMES_PER_SECOND = 4_000;
const LENGTH_AT_ONCE = 300_000_000;
const LENGTH_PER_SECOND = 64_000_000;

/** Objects, lists, fields and list entries of the outcome of a caller's code, which has five fields. */
const MAX_OUTCOME_VALUES = 100;

/** Length of a frame whose sending takes a millisecond or more. */
const LONG_FRAME = 500_000;

interface Channel {
  socket: WebSocket;
  inFlight: number;
}

/** The socket of one run: it carries the request, the run's connections to its browser, and the answer. */
class RunLink {
  readonly #process: WebSocket;
  readonly #openBrowser: OpenBrowserConnection;
  readonly #channels = new Map<number, Channel>();
  readonly #frames = new Budget({ most: FRAMES_AT_ONCE, perSecond: FRAMES_PER_SECOND });
  readonly #length = new Budget({ most: LENGTH_AT_ONCE, perSecond: LENGTH_PER_SECOND });
  #isClosed = false;
  #unheardChars = 0;
  #settle: (end: CodeEnd | "lost") => void = () => undefined;
  #fail: (error: Error) => void = () => undefined;

  constructor(process: WebSocket, openBrowser: OpenBrowserConnection) {
    this.#process = process;
    this.#openBrowser = openBrowser;
  }

  /**
   * @returns `lost` when the process ended before it answered
   * @throws Error of the program, or when the process sends too much
   */
  run(run: CodeRun): Promise<CodeEnd | "lost"> {
    const ended = new Promise<CodeEnd | "lost">((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
    });
    this.#process.binaryType = "arraybuffer";
    this.#process.accept();
    const reader = new CodeFrameReader();
    this.#process.addEventListener("message", ({ data }) => {
      const frame = data as string | ArrayBuffer;
      // A socket that is closed here still has messages until the other side has closed it.
      if (this.#isClosed || !this.#mayReceive(frame)) return;
      this.#receive(reader.read(frame), run);
    });
    this.#process.addEventListener("close", () => this.#settle("lost"));
    this.#process.addEventListener("error", () => this.#settle("lost"));
    const bytes: Uint8Array[] = [];
    void this.#sendInTurns(codeFrames({ kind: "run", text: toJsonWithBytes(run, bytes) }, bytes));
    return ended;
  }

  /** Counts a frame. @returns false after it has ended the run, since the process sends more than the service reads */
  #mayReceive(frame: string | ArrayBuffer): boolean {
    const nowMs = Date.now();
    const areFew = this.#frames.take(1, nowMs);
    const areShort = this.#length.take(typeof frame === "string" ? frame.length : frame.byteLength, nowMs);
    if (areFew && areShort) return true;
    this.#fail(new Error("It sends more messages than the service reads"));
    this.close();
    return false;
  }

  close(): void {
    this.#isClosed = true;
    for (const { socket } of this.#channels.values()) close(socket);
    this.#channels.clear();
    close(this.#process);
  }

  #receive(read: ReadMessage | undefined, { runId, userCode }: CodeRun): void {
    this.#unheardChars = 0;
    if (read === undefined) return;
    const { message, bytes } = read;
    switch (message.kind) {
      case "done":
        if (userCode !== undefined && hasManyValues(message.text)) {
          return this.#fail(new Error("Its outcome has more values than the service reads"));
        }
        return this.#settle({ kind: "done", value: parseValue(message.text, bytes) });
      case "failed":
        return this.#fail(new Error(message.text));
      case "open":
        return void this.#open(message.channel, runId);
      case "data":
        return this.#toBrowser(message.channel, message.text);
      case "close":
        return this.#closeChannel(message.channel);
    }
  }

  async #open(channel: number, runId: string): Promise<void> {
    const request = new Request(`http://browser/v1/devtools/browser/${runId}`, { headers: { Upgrade: "websocket" } });
    const response = await this.#openBrowser(request).catch(() => undefined);
    const socket = response?.webSocket;
    if (socket == null) {
      await response?.body?.cancel();
      return this.#send({ kind: "answer", channel, status: response?.status ?? 502 });
    }
    this.#channels.set(channel, { socket, inFlight: 0 });
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", ({ data }) => this.#fromBrowser(channel, data));
    socket.addEventListener("close", () => this.#closeChannel(channel));
    socket.accept();
    this.#send({ kind: "answer", channel, status: 101 });
  }

  #toBrowser(number: number, text: string): void {
    const channel = this.#channels.get(number);
    if (channel === undefined) return;
    if (++channel.inFlight > MAX_IN_FLIGHT) return this.#closeChannel(number);
    send(channel.socket, text);
  }

  #fromBrowser(number: number, data: unknown): void {
    const text = data instanceof ArrayBuffer ? new TextDecoder().decode(data) : String(data);
    const channel = this.#channels.get(number);
    // Answers start with the id of their command, events with their name.
    if (channel !== undefined && text.startsWith('{"id"')) channel.inFlight--;
    this.#unheardChars += text.length;
    if (this.#unheardChars > MAX_UNHEARD_CHARS) return this.#closeChannel(number);
    this.#send({ kind: "data", channel: number, text });
  }

  #closeChannel(number: number): void {
    const channel = this.#channels.get(number);
    if (channel === undefined) return;
    this.#channels.delete(number);
    close(channel.socket);
    this.#send({ kind: "close", channel: number });
  }

  #send(message: CodeMessage): void {
    for (const frame of codeFrames(message)) send(this.#process, frame);
  }

  /** Sends the frames of a request; other requests run between long ones. */
  async #sendInTurns(frames: readonly (string | Uint8Array)[]): Promise<void> {
    for (const frame of frames) {
      send(this.#process, frame);
      if (frame.length >= LONG_FRAME) await nextTurn();
    }
  }
}

function hasManyValues(json: string): boolean {
  return countJsonValues(new TextEncoder().encode(json), MAX_OUTCOME_VALUES) > MAX_OUTCOME_VALUES;
}

/** Parses a value from the process. The caller's code controls the process, so its output is untrusted. */
function parseValue(text: string, bytes: readonly Uint8Array[]): unknown {
  try {
    return fromJsonWithBytes(text, bytes);
  } catch {
    return undefined;
  }
}

/** Sends a frame; a closed socket is ignored. */
function send(socket: WebSocket, frame: string | Uint8Array): void {
  try {
    socket.send(frame);
  } catch {
    close(socket);
  }
}

function close(socket: WebSocket): void {
  try {
    socket.close(1000);
  } catch {
    // Closed already.
  }
}
