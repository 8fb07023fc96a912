import { ZodError } from "zod";
import { LOW_CONFIDENCE } from "../../../core/ocr/confidence.ts";
import { OCR_LANGUAGES } from "../../../core/ocr/guess-language.ts";
import type { RecognisedPage } from "../../../core/ocr/recognised-page.ts";
import type { Recognition } from "../../../core/ocr/recognition.ts";
import type { LeaseOutcome } from "../../../core/sessions/browser-pool.ts";
import type { DrawRequest, OcrEngine, OcrRequest, PageDrawer, PictureTaker } from "../../../ports/ocr-engine.ts";
import { within } from "../abortable.ts";
import { BrowserGoneError } from "../cdp-connection.ts";
import { bindLease, leaseBrowser, releaseLease, type LeaseOptions } from "../lease.ts";
import { useTab } from "../load-in-browser.ts";
import { logEvent } from "../../log-event.ts";
import { DeadlineError, PageCrashedError } from "../page/load-end.ts";
import { ScriptError } from "../page/page-session.ts";
import { type DrawnPart, OcrPage } from "./ocr-page.ts";

export interface BrowserOcrOptions extends LeaseOptions {
  /** Serves the page that recognises text, and its files. */
  assets: Fetcher;
  /** Time to draw a page, in ms; default `DRAW_LIMIT_MS`. */
  drawLimitMs?: number;
}

type Stop = NonNullable<Recognition["stopped"]>;

/** Time for one page in all orientations, after it was drawn; the tab is closed after it. */
const PAGE_LIMIT_MS = 45_000;
/** Time to draw a page. A scan of 70 million pixels takes two seconds on two cores; pictures of a few kilobytes can take hours. */
const DRAW_LIMIT_MS = 12_000;
/** Pages of one file that are read in further orientations: each takes four times as long as another. */
const MAX_TURNED_PAGES = 4;
/** Pages of one file that are read at most. */
const MAX_PAGES = 300;
const MAX_ATTEMPTS = 2;
const CANNOT_DRAW: Stop = { code: "SCRAPE_DOCUMENT_PREFETCH_FAILED", message: "it cannot be drawn" };

/** Recognises text by Tesseract in a tab of the browsers that page loads use, each file in a separate context. */
export function createBrowserOcr(options: BrowserOcrOptions): OcrEngine & PageDrawer {
  return {
    languages: OCR_LANGUAGES,
    recognise: (request) => recognise(options, request),
    draw: (request) => draw(options, request),
  };
}

/** Draws parts of a PDF in a tab. */
async function draw(options: BrowserOcrOptions, { parts, take, ...rest }: DrawRequest): Promise<Stop | undefined> {
  const request = { ...rest, kind: "pdf" as const };
  const file = { ...request, contentType: "application/pdf" };
  const { drawLimitMs = DRAW_LIMIT_MS } = options;
  const { stopped } = await underLease(options, request, async (session) => {
    const reader = await OcrPage.open(session, { assets: options.assets, file, language: undefined });
    let missing: Stop | undefined;
    for (const part of parts) {
      const jpeg = await inTime(pictureOf(reader, part), drawLimitMs);
      if (jpeg === "late") return takesLonger(drawLimitMs);
      if (jpeg === undefined) missing ??= CANNOT_DRAW;
      else await take(part, jpeg);
    }
    return missing;
  });
  return stopped;
}

async function recognise(options: BrowserOcrOptions, request: OcrRequest): Promise<Recognition> {
  const pages: RecognisedPage[] = [];
  const wanted = request.pages.slice(0, MAX_PAGES);
  for (let attempt = 1; ; attempt++) {
    const left = wanted.filter((wantedPage) => !pages.some(({ pageNumber }) => pageNumber === wantedPage));
    const { stopped, lease } = await underLease(options, request, (session) =>
      readPages(session, { options, request: { ...request, pages: left }, pages }),
    );
    if (lease === "gone" && attempt < MAX_ATTEMPTS && pages.length < wanted.length) continue;
    if (stopped !== undefined || wanted.length === request.pages.length) return { pages, stopped };
    return { pages, stopped: { code: "SCRAPE_WORK_LIMIT", message: `at most ${MAX_PAGES} pages are read` } };
  }
}

type LeasedRequest = Pick<OcrRequest, "deadlineMs" | "owner" | "kind">;
type OcrSession = Parameters<typeof OcrPage.open>[0];

/** Works in one tab. The tab is closed and the lease is returned, whatever happens. */
async function underLease(
  options: BrowserOcrOptions,
  request: LeasedRequest,
  work: (session: OcrSession) => Promise<Stop | undefined>,
): Promise<{ stopped: Stop | undefined; lease: LeaseOutcome }> {
  const { binding, callerLeft, defer, meter } = options;
  const grant = await leaseBrowser(options, request);
  if (grant.kind === "refused") return { stopped: refusal(grant.reason), lease: "ok" };
  const { leaseId, sessionId } = grant;
  const startedAtMs = Date.now();
  let lease: Promise<LeaseOutcome> = Promise.resolve("ok");
  try {
    const { ended, close } = await useTab(
      {
        binding,
        sessionId,
        callerLeft,
        request: {
          deadlineMs: request.deadlineMs,
          mobile: false,
          headers: {},
          languages: [],
          skipTlsVerification: false,
        },
        onContext: (contextId) => bindLease(options, leaseId, contextId),
      },
      ({ page }) => work(page),
    );
    lease = close();
    const stopped = ended.kind === "done" ? ended.value : toStop(ended.error, request);
    return { stopped, lease: ended.kind === "done" ? "ok" : await lease };
  } finally {
    meter?.add("browserMs", Math.max(0, Date.now() - startedAtMs));
    const released = lease.then((outcome) => releaseLease(options, leaseId, outcome));
    if (defer === undefined) await released;
    else {
      meter?.expect({ durableObjectRequests: 1 });
      defer(released);
    }
  }
}

/** @returns the reason why a page is missing; undefined when none is */
async function readPages(
  session: OcrSession,
  { options, request, pages }: { options: BrowserOcrOptions; request: OcrRequest; pages: RecognisedPage[] },
): Promise<Stop | undefined> {
  const [language] = OCR_LANGUAGES;
  const { drawLimitMs = DRAW_LIMIT_MS } = options;
  const reader = await OcrPage.open(session, { assets: options.assets, file: request, language });
  let uncertain = 0;
  let missing: Stop | undefined;
  for (const pageNumber of request.pages) {
    const drawn = await inTime(unlessDamaged(reader.draw(pageNumber).then(() => true)), drawLimitMs);
    if (drawn === "late") return takesLonger(drawLimitMs);
    const mayTurn = uncertain < MAX_TURNED_PAGES;
    const reading = drawn === undefined ? undefined : unlessDamaged(reader.read(pageNumber, { mayTurn }));
    const page = reading === undefined ? undefined : await inTime(reading, PAGE_LIMIT_MS);
    if (page === "late") return takesLonger(PAGE_LIMIT_MS);
    if (page === undefined) missing ??= CANNOT_DRAW;
    else {
      pages.push(page);
      if (!page.isBlank && page.confidence < LOW_CONFIDENCE) uncertain++;
      await offerPicture(reader, page, request.pictures);
    }
  }
  return missing;
}

async function offerPicture(reader: OcrPage, page: RecognisedPage, pictures: PictureTaker | undefined): Promise<void> {
  if (pictures?.wants(page) !== true) return;
  const jpeg = await pictureOf(reader, page);
  if (jpeg !== undefined) await pictures.take(page, jpeg);
}

/** @returns undefined for a page that cannot be drawn */
async function pictureOf(reader: OcrPage, part: DrawnPart): Promise<Uint8Array | undefined> {
  return await unlessDamaged(reader.picture(part));
}

/** Returns undefined where the page's own script has failed. */
async function unlessDamaged<Value>(work: Promise<Value>): Promise<Value | undefined> {
  return await work.catch((error: unknown) => {
    if (!(error instanceof ScriptError)) throw error;
    return undefined;
  });
}

/** Limits the time of work. Work that still runs at the limit fails when the tab is closed, which nobody waits for. */
async function inTime<Value>(work: Promise<Value>, limitMs: number): Promise<Value | "late"> {
  work.catch(() => undefined);
  return await within(work, limitMs, "late" as const);
}

function takesLonger(limitMs: number): Stop {
  return { code: "SCRAPE_WORK_LIMIT", message: `it takes longer than ${limitMs / 1000} s` };
}

function refusal(reason: string): Stop {
  if (reason === "deadline") return { code: "SCRAPE_TIMEOUT", message: "no browser became free in time" };
  return { code: "SCRAPE_BROWSER_UNAVAILABLE", message: "no browser could be started" };
}

function toStop(error: unknown, { kind }: LeasedRequest): Stop {
  if (error instanceof DeadlineError) return { code: "SCRAPE_TIMEOUT", message: "the time for this page is over" };
  if (error instanceof PageCrashedError) {
    return { code: "SCRAPE_WORK_LIMIT", message: "it takes more memory than a browser has" };
  }
  if (error instanceof BrowserGoneError) return { code: "SCRAPE_BROWSER_UNAVAILABLE", message: "the browser ended" };
  if (error instanceof ScriptError) {
    const what = kind === "pdf" ? "PDF" : "picture";
    return { code: "SCRAPE_DOCUMENT_PREFETCH_FAILED", message: `the ${what} is damaged, or too large to be drawn` };
  }
  const problem = error instanceof ZodError ? "The page returned an unknown result" : String(error);
  logEvent({ event: "ocr_failed", message: problem });
  return { code: "SERVICE_UNAVAILABLE", message: "the recognition failed; try again in a moment" };
}
