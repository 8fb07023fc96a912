import { randomBytes, timingSafeEqual } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { CODE_LIMIT_MIB, ISOLATE_COMPATIBILITY, PAGES_SESSION, type StopReason } from "../../core/sessions/code-run.ts";
import { listenLocally } from "../process/listen-locally.ts";
import { makeOwnedFolder } from "../process/run-leftovers.ts";
import { PROJECT_ROOT } from "../service/wrangler.ts";
import type { CodeProcess, ProcessFiles, ProcessOwner } from "./code-process.ts";
import { ProcessPool } from "./process-pool.ts";
import { READER_SOCKET, SharedReader } from "./shared-reader.ts";

export interface SandboxHost {
  /** Where the service finds it, with the secret that it asks for; the setting `SANDBOX_URL`. */
  url: string;
  /** Unix socket of the process that reads pages for a busy service, while it runs. */
  readerSocket: string;
  close(): Promise<void>;
}

interface Ask {
  action: string;
  sessionId: string;
  teamId: string;
  runId: string;
  limitMs: number;
  limitMib: number;
}

/** Above the folder that the programs are built into. */
const CONFIG_PATH = join(PROJECT_ROOT, "dist", "sandbox.capnp");
const READER_CONFIG_PATH = join(PROJECT_ROOT, "dist", "shared-reader.capnp");
const MAX_WAIT_MS = 30_000;
const MAX_LIMIT_MS = 600_000;
const MAX_LIMIT_MIB = 1_024;
/** How many ends of runs are remembered, for the service to ask for. */
const MAX_ENDS = 1_000;

/**
 * Runs untrusted code for a local service, each session's in a process of its own that is ended from here at its time
 * limit or when it takes too much memory: an isolate within the service can block it, and bring it down. On the platform
 * dynamic Workers do the same, so nothing of this is part of a deployment. It listens on 127.0.0.1 and answers only
 * those who know its secret; the processes have no network, no files and no variables.
 */
export async function startSandboxHost(): Promise<SandboxHost> {
  const secret = randomBytes(24).toString("hex");
  const folder = makeOwnedFolder("sandbox");
  let files: Promise<ProcessFiles> | undefined;
  const filesOnce = (): Promise<ProcessFiles> => {
    files ??= prepareFiles(folder).catch((error: unknown) => {
      files = undefined;
      throw error;
    });
    return files;
  };
  const pool = new ProcessPool(filesOnce);
  const reader = new SharedReader(async () => ({ ...(await filesOnce()), config: READER_CONFIG_PATH }));
  const ends = new Map<string, StopReason>();
  const server = createServer((request, response) => {
    const ask = readAsk(request, secret);
    if (ask === undefined) return void response.writeHead(404).end();
    answer(ask, { pool, reader, ends, response }).catch(() => response.writeHead(500).end());
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const ask = readAsk(request, secret);
    if (ask?.action !== "run") return void socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    void runCode(ask, { pool, ends, request, socket, head });
  });
  const port = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}/${secret}`,
    readerSocket: join(folder, READER_SOCKET),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await Promise.all([pool.close(), reader.close()]);
      await closed;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `/<secret>/<action>?session=…&team=…&run=…&limitMs=…&limitMib=…` */
function readAsk({ url = "" }: IncomingMessage, secret: string): Ask | undefined {
  const target = URL.parse(url, "http://host");
  if (target === null) return undefined;
  const { pathname, searchParams } = target;
  const [, given = "", action = ""] = pathname.split("/");
  const bytes = Buffer.from(given);
  if (bytes.length !== secret.length || !timingSafeEqual(bytes, Buffer.from(secret))) return undefined;
  const limitMs = Math.min(Number(searchParams.get("limitMs")) || 0, MAX_LIMIT_MS);
  const limitMib = Math.min(Number(searchParams.get("limitMib")) || CODE_LIMIT_MIB, MAX_LIMIT_MIB);
  const [sessionId = "", teamId = "", runId = ""] = ["session", "team", "run"].map(
    (name) => searchParams.get(name) ?? "",
  );
  return { action, sessionId, teamId, runId, limitMs, limitMib };
}

function ownerOf({ sessionId, teamId }: Ask): ProcessOwner {
  return { sessionId, teamId, givesWay: sessionId !== PAGES_SESSION };
}

async function answer(
  ask: Ask,
  {
    pool,
    reader,
    ends,
    response,
  }: Pick<RunParts, "pool" | "ends"> & { reader: SharedReader; response: ServerResponse },
): Promise<void> {
  const { action, sessionId, runId } = ask;
  if (action === "warm") await pool.warm(ownerOf(ask)).catch(() => undefined);
  if (action === "forget") pool.forget(sessionId);
  const isReading = action === "start-reader" && (await reader.start());
  if (action === "end-reader") await reader.end();
  const textOf = (): string => {
    if (action === "busy") return String(pool.busy);
    if (action === "start-reader") return isReading ? "ready" : "";
    return action === "end" ? (ends.get(runId) ?? "") : "";
  };
  response.writeHead(200, { "content-type": "text/plain" }).end(textOf());
}

interface RunParts {
  pool: ProcessPool;
  ends: Map<string, StopReason>;
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
}

/** Joins the service's WebSocket to a process, byte by byte, and ends that process when the run's time is over. */
async function runCode(ask: Ask, parts: RunParts): Promise<void> {
  const { runId, limitMs, limitMib } = ask;
  const { pool, ends, request, socket, head } = parts;
  const process = await pool.take(ownerOf(ask), Math.min(limitMs, MAX_WAIT_MS)).catch(() => undefined);
  if (process === undefined) return void socket.end("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n");
  if (socket.destroyed || socket.readableEnded) {
    // The service has left while it waited; the events of its end are over.
    socket.destroy();
    return await pool.giveBack(process);
  }
  const limit = setTimeout(() => process.kill("time"), limitMs);
  process.limitMib = limitMib;
  try {
    await joinSockets(process, { request, socket, head, path: `/${encodeURIComponent(runId)}` });
    await pool.giveBack(process);
  } finally {
    clearTimeout(limit);
    if (!process.isUsable) noteEnd(ends, runId, process);
    socket.destroy();
  }
}

function noteEnd(ends: Map<string, StopReason>, runId: string, process: CodeProcess): void {
  ends.set(runId, process.reason);
  const [oldest = ""] = ends.keys();
  if (ends.size > MAX_ENDS) ends.delete(oldest);
}

/** Resolves when either side has closed, or the service's side sends no more. The service's side stays open until it is known why the process ended. */
function joinSockets(
  process: CodeProcess,
  { request, socket, head, path }: { request: IncomingMessage; socket: Duplex; head: Buffer; path: string },
): Promise<void> {
  return new Promise((resolve) => {
    const inner = process.connect();
    const end = (): void => {
      inner.destroy();
      resolve();
    };
    inner.once("close", end);
    inner.once("error", end);
    socket.once("close", end);
    socket.once("end", end);
    inner.write(`GET ${path} HTTP/1.1\r\n${headerLines(request)}\r\n`);
    if (head.length > 0) inner.write(head);
    inner.pipe(socket, { end: false });
    socket.pipe(inner, { end: false });
  });
}

function headerLines({ rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1] ?? ""}\r\n`] : []));
  return lines.join("");
}

/** Writes the configurations. @param folder for this user's eyes only, for the sockets of the processes */
async function prepareFiles(folder: string): Promise<ProcessFiles> {
  await Promise.all([replaceFile(CONFIG_PATH, CONFIG), replaceFile(READER_CONFIG_PATH, READER_CONFIG)]);
  const workerd = createRequire(createRequire(import.meta.url).resolve("wrangler"))("workerd") as { default: string };
  return { folder, config: CONFIG_PATH, workerd: workerd.default };
}

/** Two hosts of one program may write it at the same moment. */
async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, text);
  await rename(draft, path);
}

/**
 * V8's heap of an isolate has twice what the platform gives it. Nothing leads out of the process: its network allows no
 * address, and there is no disk.
 */
const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  v8Flags = ["--max-old-space-size=256", "--max-semi-space-size=8"],
  services = [(name = "main", worker = .main), (name = "nowhere", network = (allow = []))],
  sockets = [(name = "main", http = (), service = "main")],
);
const main :Workerd.Worker = (
  compatibilityDate = "${ISOLATE_COMPATIBILITY.compatibilityDate}",
  modules = [
    (name = "supervisor.js", esModule = embed "ui/sandbox/supervisor.js"),
    (name = "node-runner.txt", text = embed "ui/sandbox/node-runner.js"),
    (name = "bash-runner.txt", text = embed "ui/sandbox/bash-runner.js"),
    (name = "page-reader.txt", text = embed "ui/sandbox/page-reader.js"),
  ],
  bindings = [(name = "LOADER", workerLoader = (id = "code")), (name = "RUNS", durableObjectNamespace = "Run")],
  durableObjectNamespaces = [(className = "Run", uniqueKey = "run")],
  durableObjectStorage = (inMemory = void),
  globalOutbound = "nowhere",
);
`;

/** The reader of pages for a busy service: one isolate for all pages, as in the service itself. */
const READER_CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  v8Flags = ["--max-old-space-size=192", "--max-semi-space-size=8", "--initial-old-space-size=16", "--heap-growing-percent=50", "--single-threaded-gc"],
  services = [(name = "main", worker = .main), (name = "nowhere", network = (allow = []))],
  sockets = [(name = "main", http = (), service = "main")],
);
const main :Workerd.Worker = (
  compatibilityDate = "${ISOLATE_COMPATIBILITY.compatibilityDate}",
  compatibilityFlags = ["nodejs_compat"],
  modules = [(name = "shared-reader.js", esModule = embed "ui/sandbox/shared-reader.js")],
  globalOutbound = "nowhere",
);
`;
