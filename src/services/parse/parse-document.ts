import { v7 as uuidv7 } from "uuid";
import { openPage, type OpenOptions } from "../../content/page-view.ts";
import type { DocumentKind } from "../../content/documents/kind/document-kind.ts";
import { promisedKind } from "../../content/documents/kind/kind.ts";
import { ownerOf } from "../../core/fair-order.ts";
import { AppError } from "../../core/errors.ts";
import type { LoadedPage } from "../../core/scrape/page.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import type { Deps, Payer } from "../deps.ts";
import type { LoadedThroughCache } from "../scrape/load-through-cache.ts";
import { withReader } from "./with-reader.ts";
import { withRecogniser } from "./with-recogniser.ts";
import { runScrape } from "../scrape/run-scrape.ts";
import { affordablePages, withScrapeAccount } from "../scrape/scrape-credits.ts";
import type { ScrapeResponse } from "../scrape/scrape-page.ts";
import { planScrape, V2_DEFAULTS, type ScrapePlan } from "../scrape/scrape-plan.ts";
import { storeScrape } from "../scrape/store-scrape.ts";

export const MAX_UPLOAD_BYTES = 52_428_800;

/** An uploaded file that is read like a page. */
export interface ParseRequest {
  file: { fileName: string; contentType: string | undefined; bytes: Uint8Array };
  options: ScrapeOptions;
  zeroDataRetention: boolean;
  publicOrigin: string;
}

type ParseDeps = Pick<
  Deps,
  | "settings"
  | "changeHistory"
  | "searchProviders"
  | "paperSources"
  | "meter"
  | "clock"
  | "clientLeft"
  | "keyLedger"
  | "scrapes"
  | "files"
  | "defer"
  | "llm"
  | "log"
  | "readApart"
  | "ocr"
  | "sleep"
  | "telemetry"
  | "textTasks"
>;

/** Base URL of an upload, which has none: absolute links are returned unchanged, and others are dropped. */
const NO_BASE = "about:blank";

/**
 * Reads an uploaded file and derives every requested format from it: the same path as a scrape, without a load. The
 * caller's credits have been taken already; they are refunded on failure.
 * @throws AppError `UNSUPPORTED_FILE_TYPE`, `PARSE_UNSUPPORTED_OPTIONS`, and what reading the file throws.
 */
export async function parseDocument(deps: ParseDeps, caller: Payer, request: ParseRequest): Promise<ScrapeResponse> {
  return await withScrapeAccount(deps, caller, {
    request,
    run: async (account) => {
      assertReadable(request);
      const plan = planUpload(request);
      const url = request.file.fileName;
      const { options, zeroDataRetention, publicOrigin } = request;
      const id = uuidv7();
      const createdAtMs = deps.clock.now();
      const waitLimit = { left: deps.clientLeft };
      const named = { url, apiVersion: "v2" as const, zeroDataRetention };
      return await runScrape(deps, {
        id,
        plan,
        request: { url, options, zeroDataRetention, publicOrigin },
        owner: ownerOf(caller.key),
        createdAtMs,
        account,
        waitLimit,
        load: () => {
          const owner = ownerOf(caller.key);
          const read = withReader(plan.open, deps.readApart?.(owner, waitLimit));
          const deadlineMs = createdAtMs + plan.timeoutMs;
          const open = withRecogniser(read, deps.ocr, { deadlineMs, owner });
          return openUpload(request.file, { ...open, affordablePages: affordablePages(deps, caller, request) });
        },
        store: (text) => storeScrape(deps, caller, { ...text, id, request: named, endpoint: "parse", createdAtMs }),
      });
    },
  });
}

function planUpload({ options, file }: ParseRequest): ScrapePlan {
  const plan = planScrape("http://upload.invalid/", options, V2_DEFAULTS);
  plan.warnings.push(...idleOptions(options, promisedKind(file.fileName, file.contentType)));
  return plan;
}

async function openUpload(file: ParseRequest["file"], open: OpenOptions): Promise<LoadedThroughCache> {
  const view = await openPage(toPage(file), open);
  return { view, attempts: [], obstacle: undefined, cacheState: undefined };
}

function toPage({ fileName, contentType, bytes }: ParseRequest["file"]): LoadedPage {
  return {
    engine: "upload",
    url: NO_BASE,
    fileName,
    statusCode: 200,
    headers: {},
    contentType,
    body: bytes,
    warnings: [],
  };
}

function assertReadable({ file, options }: ParseRequest): void {
  if (file.bytes.byteLength > MAX_UPLOAD_BYTES) {
    throw new AppError(
      "PAYLOAD_TOO_LARGE",
      `The file is too large: ${file.bytes.byteLength} bytes, the limit is ${MAX_UPLOAD_BYTES}`,
    );
  }
  const kind = promisedKind(file.fileName, file.contentType);
  if (kind === undefined || kind === "binary") {
    throw new AppError(
      "UNSUPPORTED_FILE_TYPE",
      `Unsupported upload type: ${file.fileName} (${file.contentType ?? "no content type"})`,
    );
  }
  if (kind === "image" && options.parsers?.some(({ type }) => type === "image") !== true) {
    throw new AppError(
      "UNSUPPORTED_FILE_TYPE",
      'Unsupported upload type: pictures need the parser image (parsers: ["image"])',
    );
  }
  const refused = REFUSED_OPTIONS.filter(({ isUsed }) => isUsed(options)).map(({ label }) => label);
  if (refused.length > 0) {
    throw new AppError("PARSE_UNSUPPORTED_OPTIONS", `Parse uploads do not support ${refused.join(", ")}`);
  }
}

/** Options about loading a page, which have no effect on an upload; the response says so. */
const IDLE_OPTIONS = [
  "timeout", "skipTlsVerification", "fastMode", "blockAds", "maxAge", "storeInCache",
] as const satisfies (keyof ScrapeOptions)[]; // prettier-ignore

/** The timeout limits the recognition of text. */
function idleOptions(options: ScrapeOptions, kind: DocumentKind | undefined): string[] {
  const mayBeRecognised = kind === "pdf" || kind === "image";
  return IDLE_OPTIONS.filter((name) => options[name] !== undefined && !(name === "timeout" && mayBeRecognised)).map(
    (name) => `${name}: it has no effect on an upload.`,
  );
}

/** Options that need a page on the web (api-contract.md, “Uploads”). */
const REFUSED_OPTIONS: { label: string; isUsed(options: ScrapeOptions): boolean }[] = [
  { label: "actions", isUsed: ({ actions }) => (actions ?? []).length > 0 },
  { label: "the screenshot format", isUsed: ({ formats }) => hasFormat(formats, "screenshot") },
  { label: "the changeTracking format", isUsed: ({ formats }) => hasFormat(formats, "changeTracking") },
  { label: "the branding format", isUsed: ({ formats }) => hasFormat(formats, "branding") },
  { label: "the rawBase64 format", isUsed: ({ formats }) => hasFormat(formats, "rawBase64") },
  { label: "waitFor", isUsed: ({ waitFor }) => (waitFor ?? 0) > 0 },
  { label: "location", isUsed: ({ location }) => location !== undefined },
  { label: "mobile", isUsed: ({ mobile }) => mobile === true },
  { label: "headers", isUsed: ({ headers }) => Object.keys(headers ?? {}).length > 0 },
  { label: "lockdown", isUsed: ({ lockdown }) => lockdown === true },
  { label: "profile", isUsed: ({ profile }) => Boolean(profile) },
  { label: "minAge", isUsed: ({ minAge }) => minAge !== undefined },
  { label: "proxy other than basic or auto", isUsed: ({ proxy = "auto" }) => proxy !== "basic" && proxy !== "auto" },
];

function hasFormat(formats: ScrapeOptions["formats"], type: string): boolean {
  return (formats ?? []).some((format) => format.type === type);
}
