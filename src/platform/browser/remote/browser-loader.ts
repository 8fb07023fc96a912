import { DurableObject } from "cloudflare:workers";
import { Meter, type MeterCounts } from "../../../core/account/meter.ts";
import { parseBotAuthKeys } from "../../../core/bot-auth-keys.ts";
import type { PoolRegion } from "../../../core/sessions/pool-region.ts";
import type { BrowserRequest } from "../../../ports/browser.ts";
import { meteredObjects } from "../../metering/metered-objects.ts";
import type { MetricTargets } from "../../metrics/metric-buffer.ts";
import { createTelemetry } from "../../metrics/telemetry.ts";
import { ConnectionSlots } from "../../outbound/connection-slots.ts";
import { createDohResolver, noResolver, type DnsCache } from "../../outbound/doh-resolver.ts";
import { egressReport, operatorFetch } from "../../outbound/egress.ts";
import { createOutboundGuard } from "../../outbound/outbound-guard.ts";
import { BotIdentity } from "../../outbound/request-signer.ts";
import type { BrowserPool } from "../browser-pool.ts";
import { createBrowser } from "../browser-rendering.ts";
import type { BrowserSettings } from "../lease.ts";
import { withOwnBrowsers, type BrowserEnv } from "../own-browsers.ts";
import { packOutcome, type PackedOutcome } from "./pack-outcome.ts";

interface LoaderEnv extends BrowserEnv, Pick<MetricTargets, "SERVICE_METRICS"> {
  BROWSER_POOL: DurableObjectNamespace<BrowserPool>;
  BOT_AUTH_KEY?: unknown;
  SIGNATURE_AGENT?: unknown;
}

/** Settings of a load, which the caller has read. */
export interface LoaderSettings {
  browsers: BrowserSettings;
  region: PoolRegion | undefined;
  allowPrivateHosts: readonly string[];
  resolverUrl: string;
  /** True where names are resolved beside loads. */
  isBesideLoads: boolean;
}

/** The outcome of a load, and what it used. */
export interface LoadAnswer {
  outcome: PackedOutcome;
  counts: MeterCounts;
}

const clock = { now: () => Date.now() };

/**
 * Loads pages beside their browsers: the object is in the region of the pool, so that the commands to a browser, some
 * twenty of them one after the other, travel a short way, and one call carries the page to the caller. It stores nothing.
 */
export class BrowserLoader extends DurableObject<LoaderEnv> {
  readonly #loads = new Map<string, { leave: AbortController; ended: Promise<unknown> }>();
  readonly #names: DnsCache = new Map();
  readonly #identity: BotIdentity;

  constructor(state: DurableObjectState, env: LoaderEnv) {
    super(state, withOwnBrowsers(env));
    const { BOT_AUTH_KEY: keys, SIGNATURE_AGENT: agent } = env;
    this.#identity = new BotIdentity({
      keys: typeof keys === "string" && keys !== "" ? parseBotAuthKeys(keys) : [],
      agent: typeof agent === "string" && agent !== "" ? new URL(agent).origin : undefined,
      clock,
    });
  }

  /** Loads a page. The browser is released after the call. */
  async load(loadId: string, request: BrowserRequest, settings: LoaderSettings): Promise<LoadAnswer> {
    const { BROWSER, BROWSER_POOL } = this.env;
    const meter = new Meter();
    const leave = new AbortController();
    const deferred: Promise<unknown>[] = [];
    if (BROWSER === undefined) {
      const message = "This deployment has no browser binding";
      return {
        outcome: packOutcome({ kind: "failed", code: "SCRAPE_BROWSER_UNAVAILABLE", message }),
        counts: meter.total(),
      };
    }
    const browser = createBrowser({
      binding: BROWSER,
      pool: meteredObjects(BROWSER_POOL, meter),
      settings: settings.browsers,
      region: settings.region,
      guard: this.#guard(settings, leave.signal),
      signer: this.#identity,
      clock,
      meter,
      telemetry: createTelemetry({ targets: this.env, extend: (work) => this.ctx.waitUntil(work) }),
      callerLeft: leave.signal,
      defer: (work) => {
        deferred.push(work);
        this.ctx.waitUntil(work);
      },
    });
    const loading = browser.load(request);
    const ended = loading.then(() => Promise.allSettled(deferred));
    this.#loads.set(loadId, { leave, ended });
    void ended.finally(() => this.#loads.delete(loadId)).catch(() => undefined);
    return { outcome: packOutcome(await loading), counts: meter.total() };
  }

  /** Ends a load whose caller has left, and waits until its browser is released. */
  async leave(loadId: string): Promise<void> {
    const load = this.#loads.get(loadId);
    load?.leave.abort(new DOMException("The client has left", "AbortError"));
    await load?.ended;
  }

  /** Creates the guard of a load, whose lookups share the connections of its call. */
  #guard({ allowPrivateHosts, resolverUrl: url, isBesideLoads }: LoaderSettings, callerLeft: AbortSignal) {
    const slots = new ConnectionSlots();
    const { fetcher, isProxied } = operatorFetch(this.env);
    const colo = isProxied ? undefined : (caches as unknown as { default: Cache }).default;
    const resolver =
      url === "off"
        ? noResolver
        : createDohResolver({ url, clock, fetcher, cache: this.#names, colo, slots, callerLeft });
    return createOutboundGuard({ allowPrivateHosts, resolver, egress: egressReport(this.env), isBesideLoads });
  }
}
