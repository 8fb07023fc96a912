import { openPage, type OpenOptions, type PageView } from "../content/page-view.ts";
import { AppError, ERRORS, type ErrorCode } from "../core/errors.ts";
import { DOWNLOAD, NOT_HTML, NOT_MODIFIED, READ_AS_FILE } from "../core/scrape/page.ts";
import type { Attempt } from "../core/scrape/attempt.ts";
import type { EngineOutcome, LoadedPage, PageNeed } from "../core/scrape/page.ts";
import type { Clock } from "../ports/system.ts";
import type { HeldBytes } from "../core/waits/held-bytes.ts";
import type { Engine, PageRequest } from "./engine.ts";
import { sizeOf } from "./fair-conversions.ts";
import { BAD_CERTIFICATE, nextTry, PROXY_CODES, type NextTry } from "./next-try.ts";
import { findObstacle, type Obstacle } from "./page-signals.ts";

const BROWSERS_BYPASS = "browsers do not use the egress routes of this deployment";
const BROKEN_OFF = "The connection of a direct load was lost, so the page that the browser loaded may be incomplete.";
const BLANK = /^(?:\s|<!doctype[^<>]*>|<\/?(?:html|head|body)>)*$/i;
const MAX_BLANK_LENGTH = 200;
/** No other engine would fare better. */
const FINAL_CODES: ReadonlySet<ErrorCode> = new Set([
  "SAFE_MODE_BLOCKED",
  "SCRAPE_DNS_RESOLUTION_ERROR",
  "SCRAPE_TIMEOUT",
  "SCRAPE_BODY_TOO_LARGE",
  "SCRAPE_WORK_LIMIT",
  "SCRAPE_REDIRECT_ERROR",
]);

/** A loaded page, the engine that loaded it, and the reason why it may lack its content. */
export interface Loaded {
  view: PageView;
  attempts: Attempt[];
  obstacle: Obstacle | undefined;
}

export interface WaterfallTools {
  engines: readonly Engine[];
  clock: Clock;
  sleep(ms: number): Promise<void>;
  /** Counts a large page that is kept while another engine is tried. */
  memory: HeldBytes;
}

/**
 * Tries engines, cheapest first, until one brings the page's content. An engine that brings a shell or a wall is
 * remembered: when no later one does better its page is the answer, with the obstacle named.
 * @throws AppError when nothing was loaded: the last engine's code, or `SCRAPE_ACTIONS_NOT_SUPPORTED` and
 * `SCRAPE_BROWSER_UNAVAILABLE` when no engine can do what is asked.
 */
export async function loadPage(tools: WaterfallTools, request: PageRequest, open: OpenOptions): Promise<Loaded> {
  const engines = enginesFor(tools.engines, request);
  if (engines.length === 0) throw missingEngine(request);
  const waterfall = new Waterfall(tools, request, open);
  try {
    return await waterfall.run(engines);
  } finally {
    waterfall.release();
  }
}

/** A page that is the answer when no later engine does better. */
interface Fallback {
  engine: Engine;
  obstacle: Obstacle;
  /** Undefined when there was no memory to keep it: then it is loaded again. */
  loaded: Loaded | undefined;
  /** Set while it is kept for the time of another load. */
  release?: () => void;
  /** Ms that a load of it took. */
  tookMs: number;
}

/** A page is loaded again in this multiple of the time that it took, and so many ms. */
const RELOAD_TIMES = 2;
const RELOAD_MS = 1_000;

/** Pages of fewer bytes are kept without being counted. */
const SMALL_BYTES = 64_000;
/** Pages of fewer bytes are kept where there is little time to load them again. */
const KEPT_BYTES = 2_000_000;
/** They may exceed the limits of memory by so many bytes together. */
const BEYOND_BYTES = 8_000_000;
/** Times that a page is in memory: as it was received, and as text. */
const COPIES = 2;

class Waterfall {
  readonly #tools: WaterfallTools;
  readonly #request: PageRequest;
  readonly #open: OpenOptions;
  readonly #attempts: Attempt[] = [];
  #fallback: Fallback | undefined;
  #failure: AppError | undefined;
  #waitedMs = 0;
  /** Ms before the deadline that other engines leave for a page that has to be loaded again. */
  #reservedMs = 0;

  constructor(tools: WaterfallTools, request: PageRequest, open: OpenOptions) {
    this.#tools = tools;
    this.#request = request;
    this.#open = open;
  }

  async run(engines: readonly Engine[]): Promise<Loaded> {
    const [tools, request, open, attempts] = [this.#tools, this.#request, this.#open, this.#attempts];
    for (const engine of engines) {
      const outcomes = { obstacle: this.#fallback?.obstacle, failure: this.#failure, request };
      if (isPointless(engine, outcomes)) continue;
      this.#keepOrDrop();
      const tried = await this.#try(engine);
      if (tried === "final") break;
      if (tried !== undefined) return tried;
    }
    if (this.#fallback !== undefined) return await this.#fallBack(this.#fallback);
    if (this.#failure === undefined && isFile(attempts)) return await loadFile(tools, { request, open, attempts });
    throw this.#failure ?? new AppError("SCRAPE_ALL_ENGINES_FAILED", undefined, { details: attempts, attempts });
  }

  /** Ends the count of what is kept. */
  release(): void {
    this.#fallback?.release?.();
  }

  /** Tries an engine. @returns the answer; undefined for none yet, `final` when no other engine would fare better */
  async #try(engine: Engine): Promise<Loaded | "final" | undefined> {
    const result = await this.#load(engine);
    if (result.failure !== undefined) {
      this.#failure = result.failure;
      if (isFinal(result.failure.code, this.#request)) return "final";
    }
    if (result.loaded === undefined) return undefined;
    if (this.#failure?.code === "SCRAPE_SITE_ERROR") {
      const { loaded } = result.loaded.view;
      if (isBlank(loaded)) {
        amendLast(this.#attempts, "empty_response");
        return undefined;
      }
      loaded.warnings.push(BROKEN_OFF);
    }
    const { obstacle } = result.loaded;
    if (!wantsAnotherEngine(obstacle, this.#request)) return result.loaded;
    amendLast(this.#attempts, obstacle.reason);
    if (isBetter(result.loaded, this.#fallback?.loaded)) {
      this.release();
      this.#fallback = { engine, obstacle, loaded: result.loaded, tookMs: this.#attempts.at(-1)?.ms ?? 0 };
      this.#reservedMs = 0;
    }
    return undefined;
  }

  async #load(engine: Engine): Promise<EngineResult> {
    const [open, attempts] = [this.#open, this.#attempts];
    const deadlineMs = this.#request.deadlineMs + this.#waitedMs - this.#reservedMs;
    const request = { ...this.#request, deadlineMs };
    const result = await tryEngine(this.#tools, engine, { request, open, attempts });
    this.#waitedMs += result.waitedMs;
    if (result.loaded !== undefined && this.#waitedMs > 0) result.loaded.view.loaded.waitedMs = this.#waitedMs;
    return result;
  }

  /**
   * Counts the fallback for the time of another load, which may wait long for a browser. Drops it when there is no room, if it
   * is very large or can be loaded again in half of the time that is left.
   */
  #keepOrDrop(): void {
    const { owner, waitLimit } = this.#request;
    const fallback = this.#fallback;
    if (fallback?.loaded === undefined || fallback.release !== undefined || owner === undefined) return;
    const bytes = COPIES * sizeOf(fallback.loaded.view.loaded);
    if (bytes < SMALL_BYTES) return;
    const { memory, clock } = this.#tools;
    const reloadMs = RELOAD_TIMES * fallback.tookMs + RELOAD_MS;
    const leftMs = this.#request.deadlineMs + this.#waitedMs - clock.now();
    const beyond = reloadMs > leftMs / 2 && bytes <= KEPT_BYTES ? BEYOND_BYTES : 0;
    const release = memory.tryMore(owner, bytes, waitLimit?.left, beyond);
    if (release === undefined) {
      fallback.loaded = undefined;
      this.#reservedMs = Math.min(reloadMs, Math.max(0, leftMs / 2));
      return;
    }
    fallback.release = release;
  }

  /** Returns the fallback, which is loaded again if it was dropped. */
  async #fallBack({ engine, loaded: kept }: Fallback): Promise<Loaded> {
    const failure = this.#failure;
    this.#reservedMs = 0;
    const result: Partial<EngineResult> = kept === undefined ? await this.#load(engine) : { loaded: kept };
    if (result.loaded !== undefined) return withNote(result.loaded, failure, this.#request);
    throw failure ?? result.failure ?? new AppError("SCRAPE_ALL_ENGINES_FAILED", undefined, { details: this.#attempts, attempts: this.#attempts }); // prettier-ignore
  }
}

/** Returns the engines of the load's routes; without routes those of the direct way, then those to try after a refusal. */
function enginesFor(all: readonly Engine[], { needs, egress }: PageRequest): Engine[] {
  const able = all.filter((engine) => [...needs].every((need) => engine.provides.has(need)));
  const ofRoutes = (names: readonly string[]): Engine[] =>
    names.flatMap((name) => able.filter(({ route }) => route?.name === name));
  const { routes = [], ifBlocked = [] } = egress ?? {};
  if (routes.length > 0) return ofRoutes(routes);
  return [...able.filter(({ route }) => route === undefined), ...ofRoutes(ifBlocked)];
}

interface Outcomes {
  /** Of the fallback. */
  obstacle: Obstacle | undefined;
  failure: AppError | undefined;
  request: PageRequest;
}

/** Reports whether another route cannot help: it does where a site has refused, or where no page came. */
function isPointless({ route }: Engine, { obstacle, failure, request }: Outcomes): boolean {
  if (route === undefined) return false;
  if (obstacle !== undefined) return obstacle.kind !== "blocked";
  const isDirect = (request.egress?.routes ?? []).length === 0;
  return isDirect && failure?.code !== "SCRAPE_SITE_ERROR";
}

interface TryOptions {
  request: PageRequest;
  open: OpenOptions;
  attempts: Attempt[];
}

/** The result of trying one engine; empty when the engine does not apply to this page. */
interface EngineResult {
  /** Time by which the deadline has moved, in ms. */
  waitedMs: number;
  loaded?: Loaded;
  failure?: AppError;
}

/** Tries one engine, again after failures that are temporary. No page is kept during a pause. */
async function tryEngine(tools: WaterfallTools, engine: Engine, options: TryOptions): Promise<EngineResult> {
  let extraWaitMs = 0;
  let waitedMs = 0;
  for (let attempt = 1; ; attempt++) {
    const { result, again } = await tryOnce(tools, engine, { ...options, attempt, extraWaitMs, waitedMs });
    waitedMs = result.waitedMs;
    if (again === undefined) return result;
    extraWaitMs = again.extraWaitMs;
    await tools.sleep(again.delayMs);
  }
}

/** Tries one engine once. @returns what came of it, or the next try without the page */
async function tryOnce(
  tools: WaterfallTools,
  engine: Engine,
  { request, open, attempts, ...tries }: TryOptions & { attempt: number; extraWaitMs: number; waitedMs: number },
): Promise<{ result: EngineResult; again?: NextTry }> {
  const { attempt, extraWaitMs } = tries;
  const startedAtMs = tools.clock.now();
  const deadlineMs = request.deadlineMs + tries.waitedMs;
  // The certificate is checked first: a page without a valid one is known by its attempts, and is not stored.
  const skipTlsVerification = request.skipTlsVerification && attempts.some(({ reason }) => reason === BAD_CERTIFICATE);
  const waitForMs = request.waitForMs + extraWaitMs;
  const outcome = await engine.load({ ...request, deadlineMs, waitForMs, skipTlsVerification });
  attempts.push(toAttempt(engine, outcome, tools.clock.now() - startedAtMs));
  const waitedMs = tries.waitedMs + waitOf(outcome);
  const result = { ...(await readOutcome(outcome, open, attempts)), waitedMs };
  const tried = { outcome, obstacle: result.loaded?.obstacle, attempt, atMs: tools.clock.now(), skipTlsVerification };
  const again = nextTry(engine, tried, request);
  if (again === undefined) return { result };
  if (tools.clock.now() + again.delayMs + again.extraWaitMs >= request.deadlineMs + waitedMs) return { result };
  if (outcome.kind === "loaded") amendLast(attempts, again.reason);
  return { result: { waitedMs }, again };
}

/** Reports whether the last attempt was a browser's, which received something else than a page. */
function isFile(attempts: readonly Attempt[]): boolean {
  const reason = attempts.at(-1)?.reason ?? "";
  return reason === DOWNLOAD || reason.startsWith(NOT_HTML);
}

/**
 * Loads without a browser what one received in place of a page.
 * @throws AppError when that brings nothing, or when all that is asked for needs a browser
 */
async function loadFile(tools: WaterfallTools, { request, open, attempts }: TryOptions): Promise<Loaded> {
  const plain = { ...request, needs: new Set<PageNeed>(), waitForMs: 0, screenshot: undefined };
  const engine = enginesFor(tools.engines, plain).find(({ engine: name }) => name === "fetch");
  const type = attempts.at(-1)?.reason?.split(NOT_HTML)[1] ?? "a download";
  if (request.acceptsFile !== true || engine === undefined) {
    const message = `The address answers with ${type}, not with a page: actions, screenshot and branding need a page in a browser`;
    throw new AppError("SCRAPE_ALL_ENGINES_FAILED", message, { details: attempts, attempts });
  }
  const { loaded, failure, waitedMs } = await tryEngine(tools, engine, { request: plain, open, attempts });
  if (loaded === undefined) {
    throw failure ?? new AppError("SCRAPE_ALL_ENGINES_FAILED", undefined, { details: attempts, attempts });
  }
  if (waitedMs > 0) loaded.view.loaded.waitedMs = waitedMs;
  loaded.view.loaded.warnings.push(READ_AS_FILE);
  return loaded;
}

function waitOf(outcome: EngineOutcome): number {
  return (outcome.kind === "loaded" ? outcome.page.waitedMs : outcome.waitedMs) ?? 0;
}

async function readOutcome(
  outcome: EngineOutcome,
  open: OpenOptions,
  attempts: Attempt[],
): Promise<Omit<EngineResult, "waitedMs">> {
  if (outcome.kind === "failed") {
    const { code, message, cause, isUnsent } = outcome;
    return { failure: new AppError(code, message, { cause, attempts, isUnsent }) };
  }
  if (outcome.page === undefined) return {};
  const view = await openPage(outcome.page, open);
  // A response without a body says nothing about obstacles.
  const obstacle = outcome.page.statusCode === NOT_MODIFIED ? undefined : findObstacle(view);
  return { loaded: { view, attempts, obstacle } };
}

/** Reports whether a page is what a browser makes of a body of which nothing could be decoded. */
function isBlank({ body }: LoadedPage): boolean {
  if (body.length > MAX_BLANK_LENGTH) return false;
  return BLANK.test(typeof body === "string" ? body : new TextDecoder().decode(body));
}

/** Marks the last attempt as a load that turned out not to be enough. */
function amendLast(attempts: Attempt[], reason: string): void {
  const last = attempts.at(-1);
  if (last !== undefined) Object.assign(last, { outcome: "insufficient", reason });
}

function toAttempt(engine: Engine, outcome: EngineOutcome, ms: number): Attempt {
  const proxy = outcome.kind === "loaded" ? outcome.page.proxy : outcome.proxy;
  const routed = proxy === undefined ? {} : { proxy };
  if (outcome.kind === "loaded") return { engine: engine.engine, outcome: "loaded", ...routed, ms };
  return {
    engine: engine.engine,
    outcome: outcome.kind,
    reason: outcome.kind === "failed" ? outcome.code : outcome.reason,
    ...routed,
    ms,
  };
}

function wantsAnotherEngine(obstacle: Obstacle | undefined, request: PageRequest): obstacle is Obstacle {
  if (obstacle === undefined || request.fastMode) return false;
  return obstacle.kind === "needs_browser" || obstacle.kind === "blocked";
}

/** Of two pages with obstacles the one with more text is better. */
function isBetter(next: Loaded, known: Loaded | undefined): boolean {
  return known === undefined || next.view.facts().text.length >= known.view.facts().text.length;
}

function isFinal(code: ErrorCode, request: PageRequest): boolean {
  if (code === BAD_CERTIFICATE) return !request.skipTlsVerification;
  return FINAL_CODES.has(code);
}

function withNote(fallback: Loaded, failure: AppError | undefined, { egress }: PageRequest): Loaded {
  const { warnings } = fallback.view.loaded;
  const { routes = [] } = egress ?? {};
  if (routes.length > 0 && fallback.obstacle?.kind === "needs_browser") {
    warnings.push(
      `The page needs a browser, and ${BROWSERS_BYPASS} (${routes.join(", ")}); this is the page without its scripts.`,
    );
  } else if (failure !== undefined && PROXY_CODES.has(failure.code)) {
    warnings.push(`The site refused the direct request, and the egress route failed (${failure.message}).`);
  } else if (failure !== undefined) {
    fallback.view.loaded.warnings.push(
      `The page needs a browser, which failed (${failure.code}: ${ERRORS[failure.code].message}); this is the page without its scripts.`,
    );
  }
  return fallback;
}

function missingEngine(request: PageRequest): AppError {
  const { routes = [] } = request.egress ?? {};
  if (routes.length > 0) {
    const message = `This request needs a browser, and ${BROWSERS_BYPASS} (${routes.join(", ")})`;
    return new AppError("SCRAPE_PROXY_SELECTION_ERROR", message);
  }
  if (request.needs.has("actions")) return new AppError("SCRAPE_ACTIONS_NOT_SUPPORTED");
  if (request.needs.has("branding")) return new AppError("SCRAPE_BRANDING_NOT_SUPPORTED");
  return new AppError("SCRAPE_BROWSER_UNAVAILABLE");
}
