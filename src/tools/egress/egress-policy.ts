import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import {
  bareHostname,
  hostWithPort,
  isOpenedHost,
  isPublicAddress,
  refuseUrl,
  type OutboundPolicy,
  PRIVATE_HOST_HINT,
} from "../../core/url/outbound-policy.ts";
import type { EgressFailure } from "../../core/egress-failure.ts";
import { resolveName, type Lookup } from "./resolve-name.ts";

/** Where a connection may go: the policy that the service itself has, and ports of this machine that are the service's. */
export interface EgressPolicy extends OutboundPolicy {
  /** Reports a port of this machine that nobody may call, by whatever name or address. */
  isOwnPort: (port: number) => boolean;
}

/** Why the proxy did not connect; what the message says is meant for the caller of the API. */
export class EgressError extends Error {
  readonly failure: EgressFailure;

  constructor(failure: EgressFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EgressError";
    this.failure = failure;
  }
}

/**
 * Resolves the host of a URL once and checks every address.
 * @returns the addresses that may be connected to; nothing else resolves the name again
 * @throws EgressError when the URL, or one of the addresses, may not be called
 */
export async function pinAddresses(url: URL, policy: EgressPolicy, ask: Lookup): Promise<LookupAddress[]> {
  const refusal = refuseUrl(url.href, policy);
  if (refusal !== undefined) throw new EgressError("refused", refusal.reason);
  const hostname = bareHostname(url);
  const addresses = isIP(hostname) === 0 ? await addressesOf(hostname, ask) : [toAddress(hostname)];
  const isOpened = isOpenedHost(url, policy);
  for (const { address } of addresses) {
    if (isThisMachine(address) && policy.isOwnPort(portOf(url))) {
      throw new EgressError("refused", "This service does not load its own pages");
    }
    if (!isOpened && !isPublicAddress(address)) {
      throw new EgressError(
        "refused",
        `The host ${hostname} resolves to the private address ${address}${PRIVATE_HOST_HINT}`,
      );
    }
  }
  return addresses;
}

/** A `lookup` for `net.connect` that knows the pinned addresses and asks nobody. */
export function pinnedLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, options, done) => {
    const [first = { address: "", family: 4 }] = addresses;
    if (options.all === true) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };
}

/** The port that a URL leads to, written or implied. */
export function portOf(url: URL): number {
  return Number(hostWithPort(url).slice(hostWithPort(url).lastIndexOf(":") + 1));
}

async function addressesOf(hostname: string, ask: Lookup): Promise<LookupAddress[]> {
  const answer = await resolveName(hostname, ask);
  if (answer.kind === "addresses" && answer.addresses.length > 0) return answer.addresses;
  if (answer.kind === "unavailable") {
    throw new EgressError("unresolved", `The host name ${hostname} could not be resolved: no resolver answers`);
  }
  throw new EgressError("not_found", `The host name ${hostname} does not resolve`);
}

const toAddress = (address: string): LookupAddress => ({ address, family: isIP(address) });

function isThisMachine(address: string): boolean {
  return /^(?:127\.|0\.0\.0\.0$|::1?$|::ffff:(?:127\.|7f|0\.0\.0\.0|0:0$))/i.test(address);
}
