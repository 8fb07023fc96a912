import type { AddressInfo, Server } from "node:net";

/**
 * Listens on a free port of 127.0.0.1 without keeping the program alive.
 * @returns the port.
 * @throws Error when there is none.
 */
export async function listenLocally(server: Server): Promise<number> {
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(0, "127.0.0.1", listening);
  });
  ignoreAcceptErrors(server);
  server.unref();
  // A TCP server that listens has an address with a port.
  return (server.address() as AddressInfo).port;
}

/** A connection that cannot be accepted, as without a free file descriptor, ends the program unless somebody listens. */
export function ignoreAcceptErrors(server: Server): void {
  server.on("error", () => undefined);
}
