import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { answerChecker, type OpenApiDocument } from "./research/answer-checker.ts";

const MAX_CHECKED_BYTES = 20_000_000;

export interface SchemaProxy {
  /** Where the service is to be spoken to. */
  url: string;
  /** What answers did not keep of their schemas, each once. */
  violations: ReadonlySet<string>;
  /** Answers that were compared, by operation and status. */
  checked: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/**
 * Stands between all end-to-end tests and the service, and compares every JSON answer with the schema that the OpenAPI
 * document gives for it. Whatever client a test uses, its answers are looked at. WebSockets pass as they are.
 */
export async function startSchemaProxy(serviceUrl: string): Promise<SchemaProxy> {
  const target = new URL(serviceUrl);
  const document = (await (await fetch(`${serviceUrl}/openapi.json`)).json()) as OpenApiDocument;
  const check = answerChecker(document);
  const violations = new Set<string>();
  const checked = new Map<string, number>();
  const sockets = new Set<Socket>();

  const look = (method: string, path: string, status: number, body: string): void => {
    const found = check({ method, path, status, body });
    for (const violation of found.violations) violations.add(violation);
    if (found.operation !== undefined) checked.set(found.operation, (checked.get(found.operation) ?? 0) + 1);
  };

  const server = createServer((incoming, outgoing) => forward(target, { incoming, outgoing, look }));
  // Some clients send a body with GET and do not say so: what follows the request then reads like a broken one. The
  // service answers the request all the same, and so does this.
  server.on("clientError", () => undefined);
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("upgrade", (incoming, socket: Socket, head) => tunnel(target, { incoming, socket, head }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    violations,
    checked,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  look(method: string, path: string, status: number, body: string): void;
}

function forward({ hostname, port }: URL, { incoming, outgoing, look }: Exchange): void {
  const { method = "GET", url = "/" } = incoming;
  // One connection for each request: one that is kept may be closed by the service just as the next request is sent.
  const headers = { ...incoming.headers, "accept-encoding": "identity", connection: "close" };
  const onward = httpRequest({ hostname, port, method, path: url, headers, agent: false }, (answer) => {
    const { connection: _connection, ...answerHeaders } = answer.headers;
    outgoing.writeHead(answer.statusCode ?? 502, answerHeaders);
    const chunks: Buffer[] = [];
    let size = 0;
    answer.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_CHECKED_BYTES) chunks.push(chunk);
    });
    answer.on("end", () => {
      const isJson = answer.headers["content-type"]?.startsWith("application/json") === true;
      const isPlain = answer.headers["content-encoding"] === undefined && method !== "HEAD";
      if (isJson && isPlain && size <= MAX_CHECKED_BYTES) {
        look(method, url, answer.statusCode ?? 0, Buffer.concat(chunks).toString());
      }
    });
    answer.on("error", () => outgoing.destroy());
    answer.pipe(outgoing);
  });
  onward.on("error", () => outgoing.destroy());
  outgoing.on("close", () => onward.destroy());
  incoming.pipe(onward);
}

function tunnel(
  { hostname, port }: URL,
  { incoming, socket, head }: { incoming: IncomingMessage; socket: Socket; head: Buffer },
): void {
  const onward = connect(Number(port), hostname, () => {
    const lines = [`${incoming.method} ${incoming.url} HTTP/1.1`];
    for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
      lines.push(`${incoming.rawHeaders[at]}: ${incoming.rawHeaders[at + 1]}`);
    }
    onward.write(`${lines.join("\r\n")}\r\n\r\n`);
    onward.write(head);
    onward.pipe(socket).pipe(onward);
  });
  const end = (): void => {
    onward.destroy();
    socket.destroy();
  };
  for (const side of [onward, socket]) side.on("error", end).on("close", end);
}
