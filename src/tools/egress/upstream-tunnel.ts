import type { LookupAddress } from "node:dns";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type Socket } from "node:net";
import { bareHostname } from "../../core/url/outbound-policy.ts";
import { EgressError, pinAddresses, pinnedLookup, portOf, type EgressPolicy } from "./egress-policy.ts";
import type { Lookup } from "./resolve-name.ts";

const CONNECT_TIMEOUT_MS = 10_000;

/** A proxy that the settings name, through which requests leave. */
export interface Upstream {
  /** Name of the egress route, with the number of the proxy where it has several. */
  label: string;
  url: URL;
  /** The policy of servers that the settings name: the proxy may be on a private network. */
  policy: EgressPolicy;
  ask: Lookup;
}

/**
 * Opens a tunnel through a proxy (RFC 9110 § 9.3.6) to an address that was checked, so that the proxy resolves no name.
 * @throws EgressError `proxy` when the proxy cannot be reached or does not connect, `proxy_denied` when it refuses its user
 */
export async function openUpstreamTunnel(
  upstream: Upstream,
  target: URL,
  addresses: readonly LookupAddress[],
): Promise<Socket> {
  const { label, url } = upstream;
  // Callers see the message: it names the proxy by its label, and no address.
  const unreachable = (cause: unknown): EgressError =>
    new EgressError("proxy", `The proxy ${label} could not be reached`, { cause });
  const pinned = await pinAddresses(withoutUser(url), upstream.policy, upstream.ask).catch((error: unknown) => {
    throw unreachable(error);
  });
  // Few proxies reach addresses of version 6.
  const address = addresses.find(({ family }) => family === 4) ?? addresses[0];
  if (address === undefined) throw new EgressError("not_found", `The host name ${target.hostname} does not resolve`);
  const authority = `${address.family === 6 ? `[${address.address}]` : address.address}:${portOf(target)}`;
  const isSecure = url.protocol === "https:";
  const hostname = bareHostname(url);
  const options = {
    method: "CONNECT",
    host: hostname,
    port: portOf(url),
    path: authority,
    headers: { host: authority, ...authorizationOf(url) },
    lookup: pinnedLookup(pinned),
    agent: false,
    ...(isSecure && isIP(hostname) === 0 ? { servername: hostname } : {}),
  };
  const request = isSecure ? httpsRequest(options) : httpRequest(options);
  return new Promise<Socket>((resolve, reject) => {
    const late = (): void => void request.destroy(new Error("it did not answer in time"));
    const timer = setTimeout(late, CONNECT_TIMEOUT_MS);
    request.once("close", () => clearTimeout(timer));
    request.once("error", (error) => reject(unreachable(error)));
    request.once("connect", ({ statusCode = 0 }, socket) => {
      clearTimeout(timer);
      const failure = failureOf(statusCode, label);
      if (failure === undefined) return resolve(socket);
      socket.destroy();
      reject(failure);
    });
    request.once("response", (response) => {
      response.resume();
      request.destroy();
      reject(
        failureOf(response.statusCode ?? 0, label) ?? new EgressError("proxy", `The proxy ${label} opened no tunnel`),
      );
    });
    request.end();
  });
}

function failureOf(statusCode: number, label: string): EgressError | undefined {
  if (statusCode >= 200 && statusCode < 300) return undefined;
  if (statusCode === 407) return new EgressError("proxy_denied", `The proxy ${label} refused its user and password`);
  return new EgressError("proxy", `The proxy ${label} did not connect to the site: it answered ${statusCode}`);
}

function withoutUser(url: URL): URL {
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  return bare;
}

function authorizationOf({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
}
