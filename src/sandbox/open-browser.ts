import type { SessionViewport } from "../core/sessions/browser-session.ts";
import { connect, type Browser, type BrowserContext, type Page } from "@cloudflare/playwright";

/** The session's browser as a program finds it. */
export interface OpenBrowser {
  browser: Browser;
  context: BrowserContext;
  page: Page;
}

/** The only binding of this isolate; it connects to the session's own browser. */
export interface BrowserBinding {
  fetch: typeof fetch;
}

/** Otherwise the library makes a context of its own, which is gone with the connection; its types do not say so. */
const KEEPS_ITS_CONTEXT = { persistent: true };
const ACTION_TIMEOUT_MS = 30_000;
const NO_NETWORK =
  "Code beside a session has no network of its own: use page.goto, or page.evaluate with fetch, which load in the browser";

/**
 * Connects through the binding. `runId` identifies this run to the binding. The library gives pages a viewport of its own
 * when it connects in workerd; pages get that of the session instead, if one is given.
 */
export async function openBrowser(
  binding: BrowserBinding,
  runId: string,
  { activeTargetId, viewport }: { activeTargetId: string | undefined; viewport: SessionViewport | undefined },
): Promise<OpenBrowser> {
  const browser = await connect(binding, { sessionId: runId, ...KEEPS_ITS_CONTEXT });
  const [context] = browser.contexts();
  if (context === undefined) throw new Error("The browser has no context");
  context.setDefaultTimeout(ACTION_TIMEOUT_MS);
  refuseOwnRequests(context);
  if (viewport !== undefined) {
    const resize = (shown: Page): Promise<void> => shown.setViewportSize(viewport).catch(() => undefined);
    context.on("page", resize);
    await Promise.all(context.pages().map(resize));
  }
  const page = (await findPage(context, activeTargetId)) ?? (await context.newPage());
  return { browser, context, page };
}

/**
 * Makes the library's requests of its own (`page.request`, `context.request`, `route.fetch`) fail at once, with a reason:
 * they would wait for a network that this isolate does not have. All of them go through one method, which its types hide.
 */
function refuseOwnRequests(context: BrowserContext): void {
  const requests: unknown = Object.getPrototypeOf(context.request);
  Object.assign(requests as object, { _innerFetch: () => Promise.reject(new Error(NO_NETWORK)) });
}

/** The tab that was worked in last, or the first one. */
async function findPage(context: BrowserContext, activeTargetId: string | undefined): Promise<Page | undefined> {
  const pages = context.pages();
  if (activeTargetId !== undefined && pages.length > 1) {
    for (const page of pages) if ((await targetIdOf(page)) === activeTargetId) return page;
  }
  return pages[0];
}

/** The browser's own name of a tab, the same over all connections. */
export async function targetIdOf(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  try {
    const { targetInfo } = await session.send("Target.getTargetInfo");
    return targetInfo.targetId;
  } finally {
    await session.detach().catch(() => undefined);
  }
}
