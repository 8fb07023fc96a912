import { createServer as createHttpsServer } from "node:https";
import { connect, type AddressInfo, type Socket } from "node:net";
import type { IncomingMessage } from "node:http";
import { Server } from "proxy-chain";
import { TEST_CERTIFICATE } from "./test-certificate.ts";

export const PROXY_USER = "anna";
export const PROXY_PASSWORD = "s3cret:@";

/** Proxies as operators have them. URLs have user and password where the proxy asks for them. */
export interface Proxies {
  open: string;
  locked: string;
  wrongPassword: string;
  /** Takes TLS, with the certificate of the tests, and hands its tunnels to the locked one. */
  secure: string;
  /** Nothing listens there. */
  dead: string;
  /** Authorities of tunnels, and URLs of requests, in order of arrival. */
  seen: string[];
  /** Bytes that each closed connection has brought to its site. */
  carried: number[];
  close(): Promise<void>;
}

/** Starts proxies on free ports of 127.0.0.1. */
export async function startProxies(): Promise<Proxies> {
  const seen: string[] = [];
  const carried: number[] = [];
  const start = async (needsPassword: boolean): Promise<Server> => {
    const server = new Server({
      port: 0,
      host: "127.0.0.1",
      prepareRequestFunction: ({ request, username, password }) => {
        const mayPass = !needsPassword || (username === PROXY_USER && password === PROXY_PASSWORD);
        if (mayPass) seen.push(request.url ?? "");
        return { requestAuthentication: !mayPass };
      },
    });
    server.on("connectionClosed", ({ stats }: { stats: { trgTxBytes: number | null } }) =>
      carried.push(stats.trgTxBytes ?? 0),
    );
    await server.listen();
    return server;
  };
  const [open, locked] = [await start(false), await start(true)];
  const secure = createHttpsServer({ key: TEST_CERTIFICATE.key, cert: TEST_CERTIFICATE.certificate });
  secure.on("connection", (socket: Socket) => sockets.add(socket));
  const sockets = new Set<Socket>();
  secure.on("connect", (request: IncomingMessage, socket: Socket) => {
    const inner = connect(locked.port, "127.0.0.1", () => {
      const authorization = request.headers["proxy-authorization"] ?? "";
      inner.write(
        `CONNECT ${request.url} HTTP/1.1\r\nHost: ${request.url}\r\nProxy-Authorization: ${authorization}\r\n\r\n`,
      );
      inner.pipe(socket);
      socket.pipe(inner);
    });
    inner.on("error", () => socket.destroy());
    socket.on("error", () => inner.destroy());
  });
  await new Promise<void>((listening) => secure.listen(0, "127.0.0.1", listening));
  const securePort = (secure.address() as AddressInfo).port;
  const user = `${PROXY_USER}:${encodeURIComponent(PROXY_PASSWORD)}`;
  const gone = await start(false);
  const dead = `http://127.0.0.1:${gone.port}`;
  await gone.close(true);
  return {
    open: `http://127.0.0.1:${open.port}`,
    locked: `http://${user}@127.0.0.1:${locked.port}`,
    wrongPassword: `http://${PROXY_USER}:guess@127.0.0.1:${locked.port}`,
    secure: `https://${user}@127.0.0.1:${securePort}`,
    dead,
    seen,
    carried,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all([open.close(true), locked.close(true), new Promise((closed) => secure.close(closed))]);
    },
  };
}
