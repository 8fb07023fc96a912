import { connect } from "cloudflare:sockets";
import { createSearchGuard } from "./compose-search.ts";
import type { Foundation, Invocation } from "./compose-input.ts";
import type { Env, Settings } from "./env.ts";
import type { Meter } from "./core/account/meter.ts";
import type { ConnectionSlots } from "./platform/outbound/connection-slots.ts";
import { createDohResolver, noResolver } from "./platform/outbound/doh-resolver.ts";
import { egressReport, operatorFetch, pageFetch } from "./platform/outbound/egress.ts";
import { createGuardedFetch } from "./platform/outbound/guarded-fetch.ts";
import { beforeLoads, createOutboundGuard } from "./platform/outbound/outbound-guard.ts";
import { turns } from "./compose-turns.ts";
import { createRoutedHttp } from "./platform/outbound/routed-http.ts";
import type { Http } from "./ports/outbound/http.ts";
import type { OutboundGuard } from "./ports/outbound/outbound-guard.ts";
import type { Clock } from "./ports/system.ts";
import type { Telemetry } from "./ports/telemetry.ts";

const systemClock: Clock = { now: () => Date.now() };

export interface Guards {
  guard: OutboundGuard;
  /** For plain requests: where the egress proxy resolves and checks names, nothing else does. */
  fetchGuard: OutboundGuard;
  searchGuard: OutboundGuard;
}

/** Returns the cache of the colo; a machine of one's own has none that is worth a call. */
function coloCache(isProxied: boolean): Cache | undefined {
  return isProxied ? undefined : (caches as unknown as { default: Cache }).default;
}

/** Creates the guards of an invocation, whose lookups take its connection slots. */
export function buildGuards(
  { env, settings, resolvedNames: cache }: Foundation,
  { slots, clientLeft: callerLeft }: Required<Pick<Invocation, "slots">> & Pick<Invocation, "clientLeft">,
): Guards {
  const url = settings.DNS_OVER_HTTPS_URL;
  const { fetcher, isProxied } = operatorFetch(env);
  const resolver =
    url === "off"
      ? noResolver
      : createDohResolver({ url, clock: systemClock, fetcher, cache, colo: coloCache(isProxied), slots, callerLeft });
  const allowPrivateHosts = settings.ALLOW_PRIVATE_HOSTS;
  const guard = createOutboundGuard({ allowPrivateHosts, resolver, egress: egressReport(env), isBesideLoads: isBesideLoads(env, settings) }); // prettier-ignore
  const fetchGuard = isProxied ? createOutboundGuard({ allowPrivateHosts, resolver: noResolver }) : guard;
  const searchGuard = createSearchGuard(settings, isProxied ? noResolver : resolver);
  return { guard, fetchGuard, searchGuard };
}

/** Reports whether names are resolved beside loads: the operator says so, and no egress proxy leads to a private network. */
export function isBesideLoads({ EGRESS }: Pick<Env, "EGRESS">, { DNS_CHECK }: Pick<Settings, "DNS_CHECK">): boolean {
  return EGRESS === undefined && DNS_CHECK === "beside";
}

interface Limits {
  meter: Meter;
  telemetry: Telemetry;
  slots: ConnectionSlots;
  movesDeadlines: boolean;
  callerLeft: AbortSignal | undefined;
}

/** Creates the client of requests to sites, which leave directly or by the egress routes of the settings. */
export function buildHttp(
  { env, settings, identity: signer, rotation }: Foundation,
  { guard, fetchGuard }: Pick<Guards, "guard" | "fetchGuard">,
  limits: Limits,
): Http {
  const openRequests = env.EGRESS === undefined ? undefined : turns.openRequests;
  const common = { ...limits, clock: systemClock, signer, openRequests };
  return createRoutedHttp({
    settings: settings.EGRESS_ROUTES,
    rotation,
    // Work of a queue gains no time from a check beside its loads, which would wait for the connections of all of them.
    direct: createGuardedFetch({
      ...common,
      guard: limits.movesDeadlines ? beforeLoads(fetchGuard) : fetchGuard,
      ...pageFetch(env),
    }),
    // Names are resolved and checked here, since a proxy or service may be in a private network.
    client: (outbound) => createGuardedFetch({ ...common, guard: beforeLoads(guard), ...outbound }),
    operator: operatorFetch(env),
    connect,
    bindings: env,
  });
}
