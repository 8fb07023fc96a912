import { Agent, request as httpRequest } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import { gunzipSync } from "node:zlib";

export interface Reply {
  /** 0 when there was no answer. */
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** From the first byte sent to the last byte received. */
  ms: number;
  error?: string;
}

export interface Client {
  get(url: string): Promise<Reply>;
  post(url: string, body: object): Promise<Reply>;
  close(): void;
}

const TIMEOUT_MS = 180_000;

/** Sends requests over kept connections, one each for up to `concurrency` at a time, and times them. */
export function createClient(options: { concurrency: number; key?: string }): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: options.concurrency });
  const shared = { accept: "*/*", ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }) };
  const send = async (url: string, body?: object): Promise<Reply> => {
    const first = await sendOnce(url, body, { agent, headers: shared });
    // A kept connection may be closed by the other side at the moment it is used again.
    return first.error === "ECONNRESET" ? sendOnce(url, body, { agent, headers: shared }) : first;
  };
  return {
    get: (url) => send(url),
    post: (url, body) => send(url, body),
    close: () => agent.destroy(),
  };
}

function sendOnce(
  url: string,
  body: object | undefined,
  connection: { agent: Agent; headers: Record<string, string> },
): Promise<Reply> {
  const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const finish = (reply: Omit<Reply, "ms">): void => resolve({ ...reply, ms: performance.now() - startedAt });
    const fail = (error: NodeJS.ErrnoException): void =>
      finish({ status: 0, headers: {}, body: Buffer.alloc(0), error: error.code ?? error.message });
    const request = httpRequest(url, {
      method: payload === undefined ? "GET" : "POST",
      agent: connection.agent,
      timeout: TIMEOUT_MS,
      headers: {
        ...connection.headers,
        ...(payload === undefined ? {} : { "content-type": "application/json", "content-length": payload.length }),
      },
    });
    request.once("error", fail);
    request.once("timeout", () => request.destroy(new Error("timeout")));
    request.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", fail);
      response.once("end", () =>
        finish({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    request.end(payload);
  });
}

/** The body as JSON; undefined when it is none. */
export function readJson(reply: Reply): unknown {
  try {
    const bytes = reply.headers["content-encoding"] === "gzip" ? gunzipSync(reply.body) : reply.body;
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}
