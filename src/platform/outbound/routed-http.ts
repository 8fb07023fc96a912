import { EGRESS_FAILURE_HEADER, EGRESS_UPSTREAM_HEADER } from "../../core/egress-failure.ts";
import { endpointsOf, ruleFor, type EgressRoute, type EgressSettings } from "../../core/egress-routes.ts";
import { AppError } from "../../core/errors.ts";
import type { Http, OutboundOutcome, OutboundRequest } from "../../ports/outbound/http.ts";
import { createProxyFetch, type Connect } from "./connect-proxy.ts";
import type { OutboundFetch } from "./egress.ts";
import { createServiceFetch } from "./fetch-service.ts";
import type { Rotation } from "./rotation.ts";

interface RouteTools {
  settings: EgressSettings;
  rotation: Rotation;
  /** Client for requests without a route. */
  direct: Http;
  /** Creates a client that sends its requests by this function, with the outbound policy and all limits. */
  client(outbound: OutboundFetch): Http;
  /** Sends requests to servers that the settings name. */
  operator: OutboundFetch;
  connect: Connect;
  /** Bindings of the Worker by name. */
  bindings: Record<string, unknown>;
}

/** Sends each request by its route: the one that it names, or that of the host rules; without either, directly. */
export function createRoutedHttp(tools: RouteTools): Http {
  const { settings, direct } = tools;
  if (Object.keys(settings.routes).length === 0) return direct;
  return {
    async request(request): Promise<OutboundOutcome> {
      const name = request.route ?? ruleFor(settings, request.url);
      const route = name === undefined ? undefined : settings.routes[name];
      return name === undefined || route === undefined
        ? await direct.request(request)
        : await requestBy(tools, { name, route }, request);
    },
  };
}

async function requestBy(
  tools: RouteTools,
  { name, route }: { name: string; route: EgressRoute },
  request: OutboundRequest,
): Promise<OutboundOutcome> {
  const endpoints = endpointsOf(name, route);
  const index = tools.rotation.next(name, endpoints.length);
  const { label, url } = endpoints[index] ?? { label: name, url: undefined };
  const outcome = await tools.client(fetchOf(tools, { route, label, url })).request(request);
  if (outcome.kind === "failed" && isProxyFailure(outcome.code)) tools.rotation.failed(name, index);
  else tools.rotation.worked(name, index);
  return { ...outcome, proxy: label };
}

function isProxyFailure(code: string): boolean {
  return code === "SCRAPE_PROXY_UNREACHABLE" || code === "SCRAPE_PROXY_DENIED";
}

interface Endpoint {
  route: EgressRoute;
  label: string;
  /** Of a proxy. */
  url: string | undefined;
}

function fetchOf({ operator, connect, bindings }: RouteTools, { route, label, url = "" }: Endpoint): OutboundFetch {
  if (route.kind === "service") {
    const service = createServiceFetch({
      url: route.url,
      token: route.token,
      label,
      fetcher: unlessProxied(operator, label),
    });
    return { fetcher: service, isProxied: false };
  }
  if (route.kind === "binding") {
    const binding = bindings[route.binding];
    const byBinding: typeof fetch = async (input, init) => {
      if (isFetcher(binding)) return await binding.fetch(input, init);
      const message = `The egress route ${label} needs the binding ${route.binding}, which this deployment has not`;
      throw new AppError("SCRAPE_PROXY_SELECTION_ERROR", message);
    };
    return { fetcher: byBinding, isProxied: false };
  }
  if (!operator.isProxied) return { fetcher: createProxyFetch(url, { connect, label }), isProxied: false };
  // The local egress proxy opens the tunnel, to an address that it has checked.
  const upstream: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set(EGRESS_UPSTREAM_HEADER, label);
    return operator.fetcher(input, { ...init, headers });
  };
  return { fetcher: upstream, isProxied: true };
}

/** The local egress proxy answers in place of a service that it does not reach. */
function unlessProxied({ fetcher, isProxied }: OutboundFetch, label: string): typeof fetch {
  if (!isProxied) return fetcher;
  return async (input, init) => {
    const response = await fetcher(input, init);
    if (response.headers.get(EGRESS_FAILURE_HEADER) === null) return response;
    // Its reason names the address of the service.
    await response.body?.cancel();
    throw new AppError("SCRAPE_PROXY_UNREACHABLE", `The fetch service ${label} could not be reached`);
  };
}

function isFetcher(value: unknown): value is Fetcher {
  return typeof value === "object" && value !== null && "fetch" in value;
}
