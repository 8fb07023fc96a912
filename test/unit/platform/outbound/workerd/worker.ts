import { connect } from "cloudflare:sockets";
import { Meter } from "../../../../../src/core/account/meter.ts";
import { parseEgressRoutes } from "../../../../../src/core/egress-routes.ts";
import { createGuardedFetch } from "../../../../../src/platform/outbound/guarded-fetch.ts";
import { createOutboundGuard } from "../../../../../src/platform/outbound/outbound-guard.ts";
import { Rotation } from "../../../../../src/platform/outbound/rotation.ts";
import { createRoutedHttp } from "../../../../../src/platform/outbound/routed-http.ts";

// A Worker that sends requests by egress routes as a deployment does, without the local egress proxy.

interface Ask {
  routes: unknown;
  allowPrivateHosts: string[];
  request: { url: string; route: string; method?: "POST" | "HEAD"; body?: string };
}

const clock = { now: () => Date.now() };
const rotation = new Rotation(clock);
const resolver = { resolve: async () => ({ kind: "addresses" as const, addresses: ["127.0.0.1"] }) };

export default {
  async fetch(request: Request): Promise<Response> {
    const ask: Ask = await request.json();
    const guard = createOutboundGuard({ allowPrivateHosts: ask.allowPrivateHosts, resolver });
    const common = { clock, meter: new Meter() };
    const direct = createGuardedFetch({ ...common, guard });
    const http = createRoutedHttp({
      settings: parseEgressRoutes(JSON.stringify(ask.routes)),
      rotation,
      direct,
      client: (outbound) => createGuardedFetch({ ...common, guard, ...outbound }),
      operator: { fetcher: (input, init) => fetch(input, init), isProxied: false },
      connect,
      bindings: { OFFICE: { fetch: async (url: string) => new Response(`the binding loaded ${url}`) } },
    });
    const outcome = await http.request({ ...ask.request, deadlineMs: Date.now() + 8_000, ownHosts: [] });
    if (outcome.kind === "failed") {
      const { cause: _cause, ...failure } = outcome;
      return Response.json(failure);
    }
    const { body, ...response } = outcome.response;
    return Response.json({ ...outcome, response: { ...response, text: new TextDecoder().decode(body) } });
  },
};
