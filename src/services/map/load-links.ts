import type { RunTextTask } from "../../content/text-tasks/text-tasks.ts";
import type { ScannedPage } from "../../content/html/scan-page.ts";
import { chooseRoutes } from "../../core/egress-routes.ts";
import type { Owner } from "../../core/fair-order.ts";
import type { ProfileState } from "../../core/sessions/profile.ts";
import { isAppError, type ErrorCode } from "../../core/errors.ts";
import { retryAfterMs } from "../../core/scrape/retry-after.ts";
import type { GrowingBytes } from "../../core/waits/growing-bytes.ts";
import type { WaitLimit } from "../../core/waits/wait-for-grant.ts";
import { acceptLanguage } from "../../engines/plain-fetch.ts";
import { loadPage } from "../../engines/waterfall.ts";
import type { PagePart } from "../../content/page-parts.ts";
import type { PageReader } from "../../content/page-view.ts";
import { withReader } from "../parse/with-reader.ts";
import type { Deps } from "../deps.ts";
import { dropBody, requestCounted } from "./counted-request.ts";

/** Request for the links of a page. */
export interface LinkRequest {
  url: string;
  deadlineMs: number;
  headers: Record<string, string>;
  languages: readonly string[];
  /** Cookies and storage that the load carries to the origins they belong to. */
  profile?: ProfileState | undefined;
  runTask: RunTextTask;
  /** Counts the page until its links are read. */
  memory: GrowingBytes;
  /** Ms since the epoch at which the wait for memory ends. Default: the deadline. */
  waitUntilMs?: number;
  /** Whose load it is, where loads have to take turns. */
  owner: Owner;
  /** When a rendered page stops waiting for its conversion. */
  waitLimit: WaitLimit;
}

export type LinkOutcome =
  | { kind: "page"; url: string; statusCode: number; page: ScannedPage }
  | { kind: "refused"; statusCode: number; retryAfterMs: number | undefined }
  | { kind: "failed"; code: ErrorCode; message: string; isUnsent?: true };

const MAX_PAGE_BYTES = 5_000_000;
const NO_LINKS: ScannedPage = { title: "", description: "", links: [] };
const HTML = /html|xml|^$/i;

/** Loads a page with one HTTP request and reads its links. Content other than HTML has none. */
export async function loadLinks(
  { http, clock, settings }: Pick<Deps, "http" | "clock" | "settings">,
  { url, deadlineMs, headers, languages, profile, runTask, memory, owner, waitUntilMs = deadlineMs }: LinkRequest,
): Promise<LinkOutcome> {
  const toRequest = () => ({
    url,
    headers: {
      accept: "text/html,application/xhtml+xml,*/*;q=0.5",
      "accept-encoding": "gzip, br",
      "accept-language": acceptLanguage(languages),
      "user-agent": settings.userAgent,
      ...headers,
    },
    deadlineMs,
    owner,
    maxBodyBytes: Math.min(MAX_PAGE_BYTES, settings.maxBodyBytes),
    ownHosts: settings.ownHosts,
    ...(profile === undefined ? {} : { cookies: profile.cookies }),
  });
  const outcome = await requestCounted(http, { memory, deadlineMs: waitUntilMs, toRequest });
  if (outcome.kind === "failed") {
    const { code, message, isUnsent } = outcome;
    return { kind: "failed", code, message, ...(isUnsent === true ? { isUnsent } : {}) };
  }
  const { statusCode, headers: answered, url: finalUrl, body } = outcome.response;
  try {
    if (statusCode === 429 || statusCode === 503) {
      return { kind: "refused", statusCode, retryAfterMs: retryAfterMs(answered["retry-after"] ?? "", clock.now()) };
    }
    const contentType = answered["content-type"];
    if (!HTML.test(contentType ?? "")) return { kind: "page", url: finalUrl, statusCode, page: NO_LINKS };
    const page = await runTask("links", { body, contentType, url: finalUrl });
    return { kind: "page", url: finalUrl, statusCode, page };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { kind: "failed", code: error.code, message: error.message };
  } finally {
    dropBody(outcome.response, memory);
  }
}

type RenderDeps = Pick<Deps, "engines" | "clock" | "sleep" | "settings" | "memory">;

/** Parts of a rendered page that a map reads. */
const PARTS: PagePart[] = [{ name: "links" }];

/**
 * Reads the links of a page that only a browser can render.
 * @returns an error message when the page could not be rendered.
 */
export async function renderLinks(
  deps: RenderDeps,
  request: LinkRequest,
  readApart: PageReader | undefined,
): Promise<ScannedPage | string> {
  const { ownHosts, egress: routes } = deps.settings;
  const { runTask: _, memory: __, waitUntilMs: ___, ...asked } = request;
  const page = {
    ...asked, ownHosts, waitForMs: 0, mobile: false, blockAds: true, skipTlsVerification: false,
    fastMode: false, actions: [], screenshot: undefined, needs: new Set<never>(),
    egress: chooseRoutes(routes, { url: asked.url, proxy: "basic" }),
  }; // prettier-ignore
  const open = {
    clean: { onlyMainContent: false, includeTags: [], excludeTags: [] },
    pdf: undefined,
    bytesOnly: false,
    parts: PARTS,
  };
  try {
    const { view } = await loadPage(deps, page, withReader(open, readApart));
    const { title, description } = view.metadata();
    return {
      title: typeof title === "string" ? title : "",
      description: typeof description === "string" ? description : "",
      links: view.links().map((url) => ({ url, text: "" })),
    };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.message;
  }
}
