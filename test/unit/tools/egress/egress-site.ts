import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { EGRESS_FAILURE_HEADER } from "../../../../src/core/egress-failure.ts";

/** A web site of every kind of response that the egress proxy forwards. */
export interface EgressSite {
  port: number;
  /** The requests that arrived. */
  seen: IncomingMessage[];
  /** The connection of the last request for `/endless-<bytes a chunk>`. */
  endless: Socket | undefined;
  /** True to cut off the next request without a response. */
  resetsNext: boolean;
  close(): Promise<void>;
}

/** Starts the site on a free port of 127.0.0.1. */
export async function startEgressSite(): Promise<EgressSite> {
  const server = createServer((request, response) => {
    site.seen.push(request);
    if (site.resetsNext) {
      site.resetsNext = false;
      return request.socket.resetAndDestroy();
    }
    const { pathname } = new URL(request.url ?? "/", "http://site");
    if (pathname === "/echo") return void request.pipe(response);
    if (pathname === "/gzip") return response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("packed"));
    if (pathname === "/moved") return response.writeHead(302, { location: "http://10.0.0.1/" }).end();
    if (pathname === "/forged") return response.writeHead(200, { [EGRESS_FAILURE_HEADER]: "refused" }).end("mine");
    if (pathname === "/cut") {
      response.writeHead(200, { "content-length": 1000 }).write("half");
      return setTimeout(() => response.destroy(), 20);
    }
    if (pathname === "/cut-chunks") {
      response.writeHead(200).write("half");
      return setTimeout(() => response.destroy(), 20);
    }
    const early = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n";
    if (pathname === "/early")
      return request.socket.write(`${early.repeat(20)}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate`);
    if (pathname === "/endless-early") {
      const more = (): void => void (request.socket.destroyed || request.socket.write(early.repeat(100), more));
      return more();
    }
    if (pathname.startsWith("/endless-")) {
      site.endless = request.socket;
      const piece = "x".repeat(Number(pathname.slice(9)));
      const more = (): void => void (response.destroyed || response.write(piece, more));
      return more();
    }
    const head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n";
    if (pathname === "/two-responses") return request.socket.write(`${head}\r\nfirst${head}\r\nother`);
    if (pathname === "/more-than-said") return request.socket.write(`${head}\r\nfirst and more`);
    if (pathname === "/garbage") return request.socket.end("ICY 200 OK\r\n\r\nmusic");
    if (pathname === "/two-lengths") return request.socket.end(`${head}Content-Length: 4\r\n\r\nfirst`);
    if (pathname === "/long-head") return request.socket.end(`${head}X-Long: ${"x".repeat(300_000)}\r\n\r\nfirst`);
    if (pathname === "/reset") return request.socket.resetAndDestroy();
    if (pathname === "/bytes") {
      const head = Buffer.from("HTTP/1.1 302 F\r\nLocation: /caf\u00e9\r\nContent-Length: 0\r\n\r\n", "utf8");
      return request.socket.end(head);
    }
    if (pathname.startsWith("/status-")) {
      return request.socket.end(`HTTP/1.1 ${pathname.slice(8)} X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nbody`);
    }
    if (pathname === "/cookies") {
      response.setHeader("Set-Cookie", ["a=1", "b=2"]);
      return response.writeHead(203, "Very Well", { "X-Odd": "caf\u00e9" }).end("x");
    }
    response.end(`${request.method} ${request.headers.host} ${request.url}`);
  });
  server.on("upgrade", (request: IncomingMessage, socket) => {
    site.seen.push(request);
    if (request.url === "/refused") return socket.end("HTTP/1.1 401 No\r\ncontent-length: 2\r\n\r\nno");
    if (request.url === "/silent") return socket.resume().once("end", () => socket.destroy());
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
    socket.pipe(socket);
  });
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((closed) => {
      server.close(closed);
    });
  };
  const site: EgressSite = { port: await listen(server), seen: [], endless: undefined, resetsNext: false, close };
  return site;
}

/** Serves on a free port of 127.0.0.1. @returns the port. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((listening) => {
    server.listen(0, "127.0.0.1", listening);
  });
  return (server.address() as AddressInfo).port;
}
