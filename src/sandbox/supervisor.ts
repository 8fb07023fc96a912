import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";
import { fromJsonWithBytes, toJsonWithBytes } from "../core/text/bytes-in-json.ts";
import { CodeFrameReader, codeFrames, type ReadMessage } from "../core/code-frames.ts";
import { toCallInput } from "../core/sessions/call-input.ts";
import { ISOLATE_COMPATIBILITY, type CodeMessage, type CodeRun } from "../core/sessions/code-run.ts";
import { plainOutcome } from "./plain-outcome.ts";
// Put beside this program by `tools/sandbox-host`, as texts.
import bashRunner from "./bash-runner.txt";
import nodeRunner from "./node-runner.txt";
import pageReader from "./page-reader.txt";

interface SupervisorEnv {
  LOADER: WorkerLoader;
  RUNS: DurableObjectNamespace<Run>;
}

interface Channel {
  socket: WebSocket;
  /** Only a socket that was accepted can be closed. */
  isAccepted: boolean;
  answered: (status: number) => void;
}

const PROGRAMS: Record<CodeRun["program"], string> = {
  "node-runner": nodeRunner,
  "bash-runner": bashRunner,
  "page-reader": pageReader,
};
/** Calls that have not ended, in all runs of this process. */
let running = 0;
/** A run was given up by its program, and may go on in secret. */
let isSpoiled = false;
/** Status for a run whose service has left. */
const GONE = 410;
const BROWSER_PATH = /^\/v1\/devtools\/browser\/([^/]+)$/;

/**
 * The main program of a process that runs one session's code (`tools/sandbox-host`). The process is the border: it has
 * no network and no files, and it is ended from outside when it takes too long or too much. In it, the code has an
 * isolate of its own, as it has on the platform; its one binding leads here, and by the run's socket to the service.
 */
export default {
  async fetch(request: Request, { RUNS }: SupervisorEnv): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (isUpgrade(request)) return RUNS.getByName(pathname.slice(1)).fetch("http://run/", request);
    return new Response(null, { status: running === 0 && !isSpoiled ? 204 : 409 });
  },
};

/** The binding that code gets in place of the browser. It opens connections only for runs that are in progress. */
export class RunBrowserBinding extends WorkerEntrypoint<SupervisorEnv> {
  override async fetch(request: Request): Promise<Response> {
    const runId = BROWSER_PATH.exec(new URL(request.url).pathname)?.[1];
    if (runId === undefined || !isUpgrade(request)) return refusal();
    return this.env.RUNS.getByName(runId).fetch("http://run/browser", { headers: { Upgrade: "websocket" } });
  }
}

/** One run, from the service's socket to the answer on it. */
export class Run extends DurableObject<SupervisorEnv> {
  #service: WebSocket | undefined;
  readonly #channels = new Map<number, Channel>();
  #opened = 0;

  override async fetch(request: Request): Promise<Response> {
    if (!isUpgrade(request)) return refusal();
    return new URL(request.url).pathname === "/browser" ? this.#openChannel() : this.#begin();
  }

  #begin(): Response {
    if (this.#service !== undefined) return refusal();
    const { 0: client, 1: server } = new WebSocketPair();
    this.#service = server;
    server.binaryType = "arraybuffer";
    server.accept();
    const reader = new CodeFrameReader();
    server.addEventListener("message", ({ data }) => this.#receive(reader.read(data as string | ArrayBuffer)));
    server.addEventListener("close", () => this.#end());
    return new Response(null, { status: 101, webSocket: client });
  }

  #receive(read: ReadMessage | undefined): void {
    if (read === undefined) return;
    const { message, bytes } = read;
    if (message.kind === "run") return void this.#run(fromJsonWithBytes(message.text, bytes) as CodeRun);
    if (message.kind === "answer") this.#channels.get(message.channel)?.answered(message.status);
    if (message.kind === "data") this.#channels.get(message.channel)?.socket.send(message.text);
    if (message.kind === "close") endChannel(this.#channels.get(message.channel));
  }

  async #run(run: CodeRun): Promise<void> {
    running++;
    try {
      const value = await this.#call(run);
      isSpoiled ||= wasGivenUp(value);
      const bytes: Uint8Array[] = [];
      this.#send({ kind: "done", text: toJsonWithBytes(value, bytes) }, bytes);
    } catch (error) {
      this.#send({ kind: "failed", text: error instanceof Error ? error.message : String(error) });
    } finally {
      running--;
    }
  }

  async #call({ program, method, input, userCode }: CodeRun): Promise<unknown> {
    const { exports } = this.ctx as unknown as { exports: { RunBrowserBinding: (bound: object) => Fetcher } };
    const code = (): WorkerLoaderWorkerCode => ({
      ...ISOLATE_COMPATIBILITY,
      mainModule: "runner.js",
      modules: { "runner.js": PROGRAMS[program], ...(userCode === undefined ? {} : { "user-code.js": userCode }) },
      env: { BROWSER: exports.RunBrowserBinding({ props: {} }) },
      globalOutbound: null,
    });
    // Programs without code of a caller keep their isolate for the session's next run.
    const worker = userCode === undefined ? this.env.LOADER.get(program, code) : this.env.LOADER.load(code());
    const runner = worker.getEntrypoint() as unknown as Record<string, (input: unknown) => Promise<unknown>>;
    const value = await runner[method]?.(method === "read" ? toCallInput(input) : input);
    return userCode === undefined ? value : plainOutcome(value);
  }

  async #openChannel(): Promise<Response> {
    if (this.#service === undefined) return refusal();
    const channel = ++this.#opened;
    const { 0: client, 1: server } = new WebSocketPair();
    const status = await new Promise<number>((answered) => {
      this.#channels.set(channel, { socket: server, isAccepted: false, answered });
      this.#send({ kind: "open", channel });
    });
    if (status !== 101) {
      this.#channels.delete(channel);
      return new Response("The browser is gone", { status });
    }
    server.binaryType = "arraybuffer";
    server.accept();
    this.#channels.set(channel, { socket: server, isAccepted: true, answered: () => undefined });
    server.addEventListener("message", ({ data }) => {
      const text = typeof data === "string" ? data : new TextDecoder().decode(data as ArrayBuffer);
      this.#send({ kind: "data", channel, text });
    });
    server.addEventListener("close", () => {
      this.#channels.delete(channel);
      this.#send({ kind: "close", channel });
    });
    return new Response(null, { status: 101, webSocket: client });
  }

  #send(message: CodeMessage, bytes: readonly Uint8Array[] = []): void {
    for (const frame of codeFrames(message, bytes)) this.#service?.send(frame);
  }

  #end(): void {
    this.#service = undefined;
    for (const channel of this.#channels.values()) endChannel(channel);
  }
}

/** One that waits for its answer has none any more. */
function endChannel(channel: Channel | undefined): void {
  if (channel?.isAccepted === true) channel.socket.close(1000, "The run is over");
  else channel?.answered(GONE);
}

function isUpgrade({ headers }: Request): boolean {
  return headers.get("Upgrade")?.toLowerCase() === "websocket";
}

/** The programs say so by `killed`, the shell's inside `outcome`. */
function wasGivenUp(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return ("killed" in value && value.killed === true) || ("outcome" in value && wasGivenUp(value.outcome));
}

function refusal(): Response {
  return new Response("This browser belongs to another session", { status: 403 });
}
