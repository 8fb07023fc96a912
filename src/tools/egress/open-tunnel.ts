import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { bareHostname } from "../../core/url/outbound-policy.ts";
import { EgressError, pinAddresses, pinnedLookup, portOf } from "./egress-policy.ts";
import { failTunnel, toEgressError } from "./fail-request.ts";
import type { TunnelFailures } from "./tunnel-failures.ts";
import { CONNECT_TIMEOUT_MS, joinSockets, type Route } from "./forward-request.ts";

/** Host and port as CONNECT names them (RFC 9110 § 9.3.6). */
const AUTHORITY = /^(?:\[[0-9a-f:.]+\]|[^\s:/?#@[\]\\]+):\d{1,5}$/i;

/** Connects a client that sent CONNECT to the host that it names, at the address that was checked. */
export async function openTunnel(
  request: IncomingMessage,
  { socket, head }: { socket: Duplex; head: Buffer },
  { policy, ask, failures }: Pick<Route, "policy" | "ask"> & { failures: TunnelFailures },
): Promise<void> {
  const fail = (error: unknown): void => {
    failures.note(request.url ?? "", toEgressError(error).failure);
    failTunnel(socket, error);
  };
  try {
    const target = readAuthority(request.url ?? "");
    const addresses = await pinAddresses(target, policy, ask);
    if (socket.destroyed) return;
    const peer = connect({
      host: bareHostname(target),
      port: portOf(target),
      lookup: pinnedLookup(addresses),
      noDelay: true,
    });
    const timer = setTimeout(() => peer.destroy(new EgressError("timeout", "Too late")), CONNECT_TIMEOUT_MS);
    socket.once("close", () => peer.destroy());
    let isOpen = false;
    peer.on("error", (error) => {
      if (!isOpen) fail(error);
    });
    peer.once("close", () => clearTimeout(timer));
    peer.once("connect", () => {
      clearTimeout(timer);
      isOpen = true;
      failures.forget(request.url ?? "");
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      if (head.byteLength > 0) peer.write(head);
      joinSockets(socket, peer);
    });
  } catch (error) {
    fail(error);
  }
}

function readAuthority(authority: string): URL {
  const target = AUTHORITY.test(authority) ? URL.parse(`http://${authority}/`) : null;
  if (target === null) throw new EgressError("refused", "Invalid host");
  return target;
}
