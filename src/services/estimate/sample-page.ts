import { isAppError } from "../../core/errors.ts";
import { firstLinks, FOLLOWED_LINKS } from "../../content/page-parts.ts";
import type { Owner } from "../../core/fair-order.ts";
import { loadPage } from "../../engines/waterfall.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { waitForTurn } from "../crawl/host-turn.ts";
import type { Deps } from "../deps.ts";
import { withReader } from "../parse/with-reader.ts";
import { planPage } from "../scrape/plan-page.ts";
import { creditsOfLoaded } from "../scrape/scrape-credits.ts";
import type { ScrapeDefaults } from "../scrape/scrape-plan.ts";
import { profileForPage } from "../sessions/scrape-profile.ts";

export type SampleDeps = Pick<
  Deps,
  | "settings"
  | "clock"
  | "engines"
  | "admission"
  | "readApart"
  | "profiles"
  | "hostThrottle"
  | "http"
  | "sleep"
  | "textTasks"
  | "memory"
  | "clientLeft"
  | "log"
>;

/** How the pages of a job would be scraped. */
export interface PageOptions {
  options: ScrapeOptions;
  defaults: ScrapeDefaults;
  zeroDataRetention: boolean;
}

export interface SampleOptions extends PageOptions {
  owner: Owner;
  /** End of the sample, in ms since the epoch. */
  deadlineMs: number;
  /** Time in which a page is loaded, from its turn on, in ms. Default: until the end of the sample. */
  loadMs?: number;
  /** Delay that the host asks for, and that of the caller, in ms. Default: none. */
  delayMs?: number;
  ownDelayMs?: number;
  /** True to load the page with everything that its formats and actions need. Default: its text and links alone. */
  isWhole?: boolean;
}

/**
 * Pages of a sample that are loaded with everything that the request asks for, to time them: at once, and as many as share a
 * browser in a job, since they take longer side by side.
 */
export const TIMED = 4;

/** A page of a sample. */
export interface SampledPage {
  url: string;
  finalUrl: string;
  isRendered: boolean;
  statusCode: number;
  credits: number;
  bytes: number;
  /** Time that a browser was held, as a receipt counts it. */
  browserMs: number;
  /** Links that a job follows. */
  links: string[];
}

/** Result for a page of a sample: `failed` when it cannot be loaded, `late` when the sample ended before that was known. */
export type SampleOutcome = SampledPage | "failed" | "late";

/**
 * Loads a page as a job would, when it is its turn, and reads what a forecast needs: nothing is converted, stored or
 * charged.
 */
export async function samplePage(deps: SampleDeps, url: string, options: SampleOptions): Promise<SampleOutcome> {
  const { owner, deadlineMs, delayMs = 0, ownDelayMs, loadMs = Infinity } = options;
  const { clock } = deps;
  if (!(await waitForTurn(deps, { url, delayMs, ownDelayMs, keyId: owner.keyId, untilMs: deadlineMs }))) return "late";
  let endMs = 0;
  try {
    return await deps.admission.run(
      owner,
      async () => {
        endMs = Math.min(deadlineMs, clock.now() + loadMs);
        return await loadSample(deps, url, { ...options, deadlineMs: endMs });
      },
      // The waits for admission are timed by the system's clock.
      { deadlineMs: Date.now() + deadlineMs - clock.now() },
    );
  } catch (error) {
    if (!isAppError(error)) deps.log({ event: "estimate_sample_failed", message: String(error) });
    const isCut = endMs === 0 || (loadMs < Infinity && endMs === deadlineMs && clock.now() >= deadlineMs);
    return isCut ? "late" : "failed";
  }
}

async function loadSample(
  deps: SampleDeps,
  url: string,
  { owner, deadlineMs, isWhole = false, options, defaults, zeroDataRetention }: SampleOptions,
): Promise<SampledPage> {
  const { ownHosts } = deps.settings;
  const plan = planPage(deps, { url, options, defaults, zeroDataRetention });
  const profile =
    plan.profile === undefined
      ? undefined
      : await profileForPage(
          deps,
          { teamId: owner.teamId, name: plan.profile },
          { url: plan.page.url, isOneOfMany: true },
        );
  const own = { ...plan.page, deadlineMs, ownHosts, owner, ...(profile && { profile: profile.state }) };
  const page = isWhole ? own : { ...own, waitForMs: 0, actions: [], screenshot: undefined, needs: new Set<never>() };
  const open = withReader({ ...plan.open, parts: [FOLLOWED_LINKS] }, deps.readApart?.(owner));
  const loaded = await loadPage(deps, page, open);
  const { view } = loaded;
  const { url: finalUrl, engine, statusCode, body, browserMs = 0 } = view.loaded;
  return {
    url,
    finalUrl,
    isRendered: engine === "browser",
    statusCode,
    credits: creditsOfLoaded({ options, zeroDataRetention }, loaded),
    bytes: body.length,
    browserMs,
    links: view.kind === "html" ? firstLinks(view.links(FOLLOWED_LINKS), FOLLOWED_LINKS) : [],
  };
}

/** Reports whether every page of a job needs a browser, because of its formats, actions or waits. */
export function needsBrowser({ engines, settings }: Pick<Deps, "engines" | "settings">, request: PageOptions): boolean {
  const { page } = planPage({ settings }, { url: "https://example.com", ...request });
  const [first] = engines;
  return first !== undefined && [...page.needs].some((need) => !first.provides.has(need));
}
