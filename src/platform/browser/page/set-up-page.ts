import type { Protocol } from "devtools-protocol";
import type { BrowserRequest } from "../../../ports/browser.ts";
import { pageFunctions } from "#page-scripts";
import { callExpression } from "./call-function.ts";
import type { PageSession } from "./page-session.ts";

export const DESKTOP = { width: 1920, height: 1080 };
const MOBILE = { width: 390, height: 844 };
const DEFAULT_LANGUAGES = ["en-US", "en"];

/** Requests that are paused: all when they are sent; documents and worker scripts again when the response arrives. */
export const INTERCEPTED: Protocol.Fetch.RequestPattern[] = [
  { urlPattern: "*", requestStage: "Request" },
  { urlPattern: "*", resourceType: "Document", requestStage: "Response" },
  { urlPattern: "*", resourceType: "Other", requestStage: "Response" },
];

/** The parts of a request that a page is set up for. */
export type Emulated = Pick<BrowserRequest, "mobile" | "languages" | "headers" | "skipTlsVerification" | "profile">;

export type Emulation = Emulated & {
  /** Product name of the browser, such as `HeadlessChrome/156.0.0.0`. */
  product: string;
};

/** Sets up the interception and emulation (viewport, user agent, locale) of a blank page, before it loads anything. */
export async function setUpPage(page: PageSession, emulation: Emulation): Promise<void> {
  const { mobile, skipTlsVerification } = emulation;
  const { sessionId } = page.ids;
  await Promise.all([
    ...watchRequests(page, sessionId),
    ...restoreStorage(page, sessionId, emulation),
    page.send("Network.enable"),
    page.send("Inspector.enable"),
    page.send("Emulation.setUserAgentOverride", userAgentOf(emulation)),
    page.send("Emulation.setDeviceMetricsOverride", viewportOf(mobile)),
    page.send("Emulation.setFocusEmulationEnabled", { enabled: true }),
    mobile ? page.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 5 }) : undefined,
    skipTlsVerification ? page.send("Security.setIgnoreCertificateErrors", { ignore: true }) : undefined,
    page.trySend("Emulation.setLocaleOverride", { locale: languagesOf(emulation)[0] ?? "en-US" }),
  ]);
}

/** Sets up the interception and user agent of an out-of-process frame, which is paused at its start, and resumes it. */
export async function setUpFrame(page: PageSession, sessionId: string, emulation: Emulation): Promise<void> {
  const send = page.connection.send.bind(page.connection);
  await Promise.all([
    ...watchRequests(page, sessionId),
    ...restoreStorage(page, sessionId, emulation),
    send("Emulation.setUserAgentOverride", userAgentOf(emulation), sessionId),
  ]);
  await send("Runtime.runIfWaitingForDebugger", undefined, sessionId);
}

/** Removes from a worker, which is paused at its start, what interception does not see, and resumes it. */
export async function setUpWorker(page: PageSession, sessionId: string): Promise<void> {
  const send = page.connection.send.bind(page.connection);
  const held = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
  await Promise.allSettled([
    send("Runtime.evaluate", { expression: callExpression(pageFunctions.beforeWorker) }, sessionId),
    send("Target.setAutoAttach", held, sessionId),
  ]);
  await send("Runtime.runIfWaitingForDebugger", undefined, sessionId);
}

function watchRequests(page: PageSession, sessionId: string): Promise<unknown>[] {
  const send = page.connection.send.bind(page.connection);
  const held = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
  return [
    // Without this domain, scripts for new documents are registered and never run.
    send("Page.enable", undefined, sessionId),
    send("Fetch.enable", { patterns: INTERCEPTED, handleAuthRequests: true }, sessionId),
    send("Target.setAutoAttach", held, sessionId),
    send("Page.addScriptToEvaluateOnNewDocument", { source: callExpression(pageFunctions.beforePage) }, sessionId),
  ];
}

/**
 * Writes the storage of a profile in each new document, from an isolated world: the page's own scripts neither see the
 * storage of other origins nor run before it.
 */
function restoreStorage(page: PageSession, sessionId: string, { profile }: Emulation): Promise<unknown>[] {
  const stored =
    profile?.origins.filter(({ localStorage, sessionStorage }) => localStorage.length + sessionStorage.length > 0) ??
    [];
  if (stored.length === 0) return [];
  const states = stored.map(({ origin, localStorage, sessionStorage }) => ({ origin, localStorage, sessionStorage }));
  const source = callExpression(pageFunctions.restoreStorage, states);
  const script = { source, worldName: "profile" };
  return [page.connection.send("Page.addScriptToEvaluateOnNewDocument", script, sessionId)];
}

export function viewportOf(mobile: boolean): Protocol.Emulation.SetDeviceMetricsOverrideRequest {
  return { ...(mobile ? MOBILE : DESKTOP), deviceScaleFactor: 1, mobile };
}

function languagesOf({ languages }: Pick<Emulation, "languages">): readonly string[] {
  return languages.length === 0 ? DEFAULT_LANGUAGES : languages;
}

/** Returns the user agent override. A `User-Agent` header applies to scripts as well, since pages compare the two. */
export function userAgentOf(emulation: Emulation): Protocol.Emulation.SetUserAgentOverrideRequest {
  const acceptLanguage = languagesOf(emulation).join(",");
  const given = Object.entries(emulation.headers).find(([name]) => name.toLowerCase() === "user-agent")?.[1];
  if (given !== undefined) return { userAgent: given, acceptLanguage };
  const version = /\/([\d.]+)/.exec(emulation.product)?.[1] ?? "130.0.0.0";
  const [major = "130"] = version.split(".");
  const { mobile } = emulation;
  const system = mobile ? "Linux; Android 10; K" : "X11; Linux x86_64";
  return {
    userAgent: `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 ${mobile ? "Mobile " : ""}Safari/537.36`,
    acceptLanguage,
    platform: mobile ? "Linux armv81" : "Linux x86_64",
    userAgentMetadata: {
      brands: brandsOf(major),
      fullVersionList: brandsOf(version),
      platform: mobile ? "Android" : "Linux",
      platformVersion: mobile ? "14.0.0" : "6.5.0",
      architecture: mobile ? "" : "x86",
      bitness: mobile ? "" : "64",
      model: mobile ? "K" : "",
      mobile,
    },
  };
}

function brandsOf(version: string): Protocol.Emulation.UserAgentBrandVersion[] {
  return [
    { brand: "Chromium", version },
    { brand: "Google Chrome", version },
    { brand: "Not=A?Brand", version: version.includes(".") ? "24.0.0.0" : "24" },
  ];
}
