import {
  PRIVATE_HOST_HINT,
  bareHostname,
  isIpAddress,
  isOpenedHost,
  isPublicAddress,
  refuseUrl,
} from "../../core/url/outbound-policy.ts";
import type { EgressReport, GuardVerdict, OutboundGuard } from "../../ports/outbound/outbound-guard.ts";
import type { Resolver } from "../../ports/system.ts";

/**
 * Checks a URL's text, then the addresses that its name resolves to. A name that cannot be resolved is accepted: in
 * production the platform's edge reaches no private network.
 */
export function createOutboundGuard(options: {
  allowPrivateHosts: readonly string[];
  resolver: Resolver;
  egress?: EgressReport | undefined;
  /** True where names are resolved beside the loads, which reach no private network. */
  isBesideLoads?: boolean;
}): OutboundGuard {
  const { allowPrivateHosts, resolver, egress, isBesideLoads = false } = options;
  const checkText = (url: string, ownHosts: readonly string[]): GuardVerdict => {
    const refusal = refuseUrl(url, { allowPrivateHosts, ownHosts });
    return refusal === undefined ? { kind: "allowed" } : { kind: "refused", ...refusal };
  };
  return {
    ...(egress === undefined ? {} : { egress }),
    ...(isBesideLoads ? { checkText } : {}),
    async check(url, ownHosts): Promise<GuardVerdict> {
      const verdict = checkText(url, ownHosts);
      if (verdict.kind !== "allowed") return verdict;
      const parsed = new URL(url);
      const hostname = bareHostname(parsed);
      if (isIpAddress(hostname) || isOpenedHost(parsed, { allowPrivateHosts })) return { kind: "allowed" };
      return checkAddresses(hostname, resolver);
    },
  };
}

/** Returns the guard for loads that may reach a private network: names are resolved before them. */
export function beforeLoads({ check, egress }: OutboundGuard): OutboundGuard {
  return { check, ...(egress === undefined ? {} : { egress }) };
}

async function checkAddresses(hostname: string, resolver: Resolver): Promise<GuardVerdict> {
  const resolution = await resolver.resolve(hostname);
  if (resolution.kind === "not_found") return { kind: "not_found", hostname };
  if (resolution.kind === "unknown") return { kind: "allowed" };
  const hidden = resolution.addresses.find((address) => !isPublicAddress(address));
  if (hidden === undefined) return { kind: "allowed" };
  return {
    kind: "refused",
    reason: `The host ${hostname} resolves to the private address ${hidden}${PRIVATE_HOST_HINT}`,
  };
}
