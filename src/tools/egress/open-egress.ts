import { namedServers, readSettings } from "../../env.ts";
import { endpointsOf, type EgressSettings } from "../../core/egress-routes.ts";
import { hostWithPort } from "../../core/url/outbound-policy.ts";
import { startDnsOverHttps } from "../service/dns-over-https.ts";
import type { SettingTexts } from "../setup/settings.ts";
import { startEgressProxy } from "./egress-proxy.ts";
import { systemLookup, type Lookup } from "./resolve-name.ts";

/** The way out of a local service, for the program that starts wrangler. */
export interface Egress {
  /** Variables for wrangler: what `route-egress.cjs` reads. */
  env: Record<string, string>;
  /** The settings, with the local resolver where they name none. */
  settings: SettingTexts;
  /** A port of this machine that no page may call from now on: the service's own. */
  closePort(port: number): void;
  /** Ports of this machine that no page may call, asked for at every connection to it. */
  closePorts(list: () => readonly number[]): void;
  close(): Promise<void>;
}

/** Starts the egress proxy, and the resolver that the service asks before a browser loads something. */
export async function openEgress(given: Readonly<SettingTexts>, lookup: Lookup = systemLookup): Promise<Egress> {
  const resolver = given["DNS_OVER_HTTPS_URL"] === undefined ? await startDnsOverHttps(lookup) : undefined;
  try {
    const settings: SettingTexts = {
      ...(resolver === undefined ? {} : { DNS_OVER_HTTPS_URL: resolver.url }),
      ...given,
    };
    const { ALLOW_PRIVATE_HOSTS, OWN_HOSTS, DNS_OVER_HTTPS_URL, ...others } = readSettings(settings);
    const helpers = [DNS_OVER_HTTPS_URL === "off" ? undefined : DNS_OVER_HTTPS_URL, others.SANDBOX_URL];
    const proxy = await startEgressProxy({
      allowPrivateHosts: ALLOW_PRIVATE_HOSTS,
      operatorHosts: [
        ...namedServers({ ALLOW_PRIVATE_HOSTS, OWN_HOSTS, DNS_OVER_HTTPS_URL, ...others }),
        ...helpers.flatMap((url) => (url === undefined ? [] : [hostWithPort(new URL(url))])),
      ],
      upstreams: upstreamsOf(others.EGRESS_ROUTES),
      ownHosts: OWN_HOSTS,
      ownPorts: [resolver?.url, others.SANDBOX_URL].flatMap(portOf),
      lookup,
    });
    const { workerAddresses, tokens, browserAddress } = proxy;
    return {
      env: {
        ORBWEAVER_EGRESS: JSON.stringify({ workerAddresses, tokens, browserAddress }),
      },
      settings,
      closePort: proxy.closePort,
      closePorts: proxy.closePorts,
      close: async () => {
        await Promise.all([proxy.close(), resolver?.close()]);
      },
    };
  } catch (error) {
    await resolver?.close();
    throw error;
  }
}

/** The proxies of the egress routes by label. */
function upstreamsOf({ routes }: EgressSettings): Map<string, string> {
  const endpoints = Object.entries(routes).flatMap(([name, route]) =>
    route.kind === "proxy" ? endpointsOf(name, route) : [],
  );
  return new Map(endpoints.flatMap(({ label, url }) => (url === undefined ? [] : [[label, url]])));
}

/** The port that a local helper listens on. */
function portOf(url: string | undefined): number[] {
  return url ? [Number(new URL(url).port)] : [];
}
