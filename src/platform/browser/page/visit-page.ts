import { pageFunctions } from "#page-scripts";
import type { EngineOutcome, LoadedPage } from "../../../core/scrape/page.ts";
import type { BrowserRequest } from "../../../ports/browser.ts";
import type { OutboundGuard } from "../../../ports/outbound/outbound-guard.ts";
import type { RequestSigner } from "../../../ports/outbound/request-signer.ts";
import { interceptRequests, type Interception } from "../requests/intercept-requests.ts";
import { failed, LoadEnd, NoDocumentError } from "./load-end.ts";
import { navigationError, TUNNEL_ERROR, egressError } from "../requests/navigation-errors.ts";
import { isShownAsText } from "../requests/document-response.ts";
import type { OpenedTab } from "./open-tab.ts";
import { PageActivity } from "./page-activity.ts";
import type { PageSession } from "./page-session.ts";
import { readHtml } from "./read-html.ts";
import { cookiesOf, isSendable } from "../requests/request-headers.ts";
import { runActions } from "../actions/run-actions.ts";
import { setUpPage } from "./set-up-page.ts";
import { findLateFiles, reload, settle } from "./settle.ts";
import { takeScreenshot } from "../actions/take-screenshot.ts";

/**
 * Navigates to the page, waits until it is ready, runs the actions and reads the page.
 * @throws LoadEnd with the outcome when the page cannot be read, and any other error that ended the load
 */
export async function visitPage(
  { page, emulation, transfers }: OpenedTab,
  { request, guard, signer }: { request: BrowserRequest; guard: OutboundGuard; signer?: RequestSigner | undefined },
): Promise<EngineOutcome> {
  const activity = new PageActivity(page);
  const interception = interceptRequests({ page, request, guard, signer, transfers });
  const cookies = cookiesOf(request.headers, request.url);
  await Promise.all([
    setUpPage(page, emulation),
    cookies.length === 0 ? undefined : page.send("Network.setCookies", { cookies }),
  ]);
  await navigate(page, { request, guard }, interception);
  interception.firstDocumentLoaded();
  const late = await findLateFiles(page, activity);
  if (late.length > 0) {
    interception.leaveOut(late);
    await reload(page, activity);
  }
  await settle(page, activity);
  if (request.waitForMs > 0) await page.sleep(request.waitForMs);
  const warnings: string[] = [];
  const { actions, mobile, screenshot, readStyles = false } = request;
  const done = actions.length === 0 ? undefined : await runActions(actions, { page, activity, mobile, warnings });
  const shot = screenshot === undefined ? undefined : await takeScreenshot(page, screenshot, { mobile });
  const styles = readStyles ? await page.call(pageFunctions.readStyles) : undefined;
  const read = await readPage(page, interception);
  await interception.verdictsKnown();
  warnings.push(...(shot?.warnings ?? []), ...read.warnings, ...warningsOf(request, interception, late));
  return {
    kind: "loaded",
    page: {
      ...read,
      ...(done === undefined ? {} : { actions: done }),
      ...(shot === undefined ? {} : { screenshot: shot.file }),
      ...(styles === undefined ? {} : { styles }),
      warnings,
    },
  };
}

async function navigate(
  page: PageSession,
  { request: { url, headers }, guard }: { request: BrowserRequest; guard: OutboundGuard },
  interception: Interception,
): Promise<void> {
  const referrer = Object.entries(headers).find(([name]) => name.toLowerCase() === "referer")?.[1];
  const { errorText } = await page.send("Page.navigate", { url, ...(referrer === undefined ? {} : { referrer }) });
  if (errorText === undefined || errorText === "") return;
  const status = interception.document()?.statusCode;
  if (status === 204 || status === 205) throw new LoadEnd({ kind: "insufficient", reason: "empty_response" });
  if (errorText === "net::ERR_ABORTED") throw new NoDocumentError();
  const failure = errorText === TUNNEL_ERROR ? await guard.egress?.tunnelFailure(url) : interception.documentFailure;
  const { code, message } = failure === undefined ? navigationError(errorText, url) : egressError(failure, url);
  throw new LoadEnd(failed(code, message));
}

async function readPage(page: PageSession, interception: Interception): Promise<LoadedPage> {
  const { html, url, timezone, isCut } = await readHtml(page);
  const document = interception.document();
  const brokenOff = interception.brokenOff();
  return {
    engine: "browser",
    url: url.startsWith("http") ? url : (document?.url ?? url),
    statusCode: document?.statusCode ?? 200,
    headers: document?.headers ?? {},
    // The body is the page that the browser makes of a text.
    contentType: isShownAsText(document?.contentType) ? "text/html" : document?.contentType,
    body: html,
    timezone,
    ...(brokenOff === undefined ? {} : { isIncomplete: true }),
    warnings: [
      ...(isCut ? ["The page's HTML is very long and was cut."] : []),
      ...(brokenOff === undefined ? [] : [`${brokenOff}, so the page is incomplete.`]),
    ],
  };
}

function warningsOf({ headers }: BrowserRequest, { refusedHosts }: Interception, late: readonly string[]): string[] {
  const unsent = Object.keys(headers).filter((name) => !isSendable(name));
  const warnings: string[] = [];
  if (unsent.length > 0) warnings.push(`A browser cannot send these request headers: ${unsent.join(", ")}.`);
  if (late.length > 0) {
    const named = late.slice(0, 5).map((url) => url.slice(0, 200));
    warnings.push(`The page was loaded without files that did not arrive: ${named.join(", ")}.`);
  }
  if (refusedHosts.size > 0) {
    const named = [...refusedHosts].slice(0, 5).join(", ");
    warnings.push(`The page requested addresses that are not allowed: ${named}.`);
  }
  return warnings;
}
