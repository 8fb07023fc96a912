import { isBesideLoads } from "./compose-outbound.ts";
import type { Meter } from "./core/account/meter.ts";
import { regionOf, type ClientPlace } from "./core/sessions/pool-region.ts";
import type { Env, Settings } from "./env.ts";
import type { LeaseOptions } from "./platform/browser/lease.ts";
import { createBrowserOcr } from "./platform/browser/ocr/browser-ocr.ts";
import { withVision } from "./platform/language-model/with-vision.ts";
import type { LanguageModel } from "./ports/language-model.ts";
import { createRemoteBrowser, type BrowserLoaders } from "./platform/browser/remote/remote-browser.ts";
import type { Browser } from "./ports/browser.ts";
import type { OcrEngine } from "./ports/ocr-engine.ts";
import type { Telemetry } from "./ports/telemetry.ts";

/** The parts of an invocation that leases browsers. */
export interface LeaseParts {
  env: Env;
  settings: Settings;
  meter: Meter;
  telemetry: Telemetry;
  near: ClientPlace;
  defer: (work: Promise<unknown>) => void;
  clientLeft: AbortSignal | undefined;
}

/** Returns access to the pool of browsers. */
export function buildLeases(parts: LeaseParts, binding: Fetcher): LeaseOptions {
  const { env, settings, meter, telemetry, near, defer, clientLeft } = parts;
  return {
    binding,
    pool: env.BROWSER_POOL,
    defer,
    meter,
    telemetry,
    // The simulator has one region, whatever it reports of the client.
    region: env.EGRESS === undefined ? regionOf(near) : undefined,
    callerLeft: clientLeft,
    settings: {
      maxBrowsers: settings.BROWSER_MAX_BROWSERS,
      reservedForSessions: settings.BROWSER_SESSIONS,
      tabsPerBrowser: settings.BROWSER_TABS_PER_BROWSER,
      warmBrowsers: settings.BROWSER_WARM,
      launchesPerMinute: settings.BROWSER_LAUNCHES_PER_MINUTE,
    },
  };
}

/**
 * Returns the browser whose loads run in objects beside it; undefined on a machine of one's own, where every place is the
 * same.
 */
export function buildBrowser(parts: LeaseParts, { settings: browsers, region }: LeaseOptions): Browser | undefined {
  const { env, settings, meter, defer, clientLeft: callerLeft } = parts;
  if (env.EGRESS !== undefined) return undefined;
  const { ALLOW_PRIVATE_HOSTS: allowPrivateHosts, DNS_OVER_HTTPS_URL: resolverUrl } = settings;
  return createRemoteBrowser({
    // The types of stubs do not know values that hold streams.
    loaders: env.BROWSER_LOADER as unknown as BrowserLoaders,
    settings: { browsers, region, allowPrivateHosts, resolverUrl, isBesideLoads: isBesideLoads(env, settings) },
    meter,
    callerLeft,
    defer,
  });
}

/** Returns the engine that recognises text, with the model that reads pictures where there is one; undefined without a browser. */
export function buildOcr(parts: LeaseParts, vision: LanguageModel | undefined): OcrEngine | undefined {
  const { BROWSER, ASSETS } = parts.env;
  if (BROWSER === undefined || ASSETS === undefined) return undefined;
  const engine = createBrowserOcr({ ...buildLeases(parts, BROWSER), assets: ASSETS });
  return vision === undefined ? engine : withVision(engine, vision, parts.clientLeft);
}
