import type { SessionConnector, ViewerMode } from "../../ports/sessions/live-view.ts";
import { AppError } from "../../core/errors.ts";
import { isOwnBrowser } from "../../core/own-browsers.ts";
import { within } from "../browser/abortable.ts";
import { BrowserGoneError } from "../browser/cdp-connection.ts";
import { untilLimit } from "../browser/with-connection.ts";
import type { LiveView } from "../live-view/live-view.ts";
import { viewerAddress } from "../live-view/viewers.ts";

interface SessionConnectorOptions {
  binding: Fetcher;
  views: Pick<DurableObjectNamespace<LiveView>, "getByName">;
}

/** The platform's live view, which only some bindings offer. */
interface NativeViews {
  getLiveView(
    sessionId: string,
    options: { mode: "tab"; expiresInMs: number; guardrails?: { mode: "readonly" } },
  ): Promise<unknown>;
}

/** The link is opened at once: this limits the start, not the viewing time. */
const NATIVE_LINK_MS = 300_000;
const NATIVE_LIMIT_MS = 3_000;
const FACTS_LIMIT_MS = 10_000;

/** Stands for a failure that says nothing about the binding: it is called again for the next viewer. */
const NO_ANSWER = Symbol("no answer");

/** Bindings that have no live view; they are not called again during the isolate's life. */
const withoutNativeView = new WeakSet<Fetcher>();

/** Connects to a session's browser through the platform's binding, and to its live view through the view's object. */
export function createSessionConnector({ binding, views }: SessionConnectorOptions): SessionConnector {
  const ask = (browserId: string, path: string, init?: RequestInit): Promise<Response> =>
    binding.fetch(`https://browser/v1/devtools/browser/${encodeURIComponent(browserId)}${path}`, init);
  return {
    async connect(browserId, targetId) {
      const path = targetId === undefined ? "" : `/page/${encodeURIComponent(targetId)}`;
      const response = await ask(browserId, path, { headers: { Upgrade: "websocket" } }).catch(() => undefined);
      if (response?.webSocket) return response.webSocket;
      await response?.body?.cancel();
      return undefined;
    },

    async facts(browserId, what) {
      const read = async (signal: AbortSignal): Promise<unknown> => {
        const response = await ask(browserId, `/json/${what}`, { signal });
        if (response.ok) return await response.json();
        await response.body?.cancel();
        return undefined;
      };
      return await untilLimit(FACTS_LIMIT_MS, read).catch((error: unknown) => {
        if (!(error instanceof BrowserGoneError)) throw error;
        throw new AppError("SERVICE_UNAVAILABLE", "The browser of this session does not answer", { cause: error });
      });
    },

    view(sessionId, viewer) {
      const address = viewerAddress(viewer);
      return views.getByName(sessionId).fetch(address, { headers: { Upgrade: "websocket" } });
    },

    async nativeView(browserId, mode) {
      if (withoutNativeView.has(binding) || isOwnBrowser(browserId)) return undefined;
      const answer = await askNative(binding, browserId, mode).catch((error: unknown) =>
        // Bindings without the method reject the call with this, as they do for every unknown method.
        error instanceof TypeError ? undefined : NO_ANSWER,
      );
      const url = addressIn(answer);
      if (url === undefined && answer !== NO_ANSWER) withoutNativeView.add(binding);
      return url;
    },
  };
}

/** Requests a link to the platform's live view. The platform enforces view-only links. */
async function askNative(binding: Fetcher, browserId: string, mode: ViewerMode): Promise<unknown> {
  const asked = (binding as unknown as NativeViews).getLiveView(browserId, {
    mode: "tab",
    expiresInMs: NATIVE_LINK_MS,
    ...(mode === "view" ? { guardrails: { mode: "readonly" } } : {}),
  });
  return await within(asked, NATIVE_LIMIT_MS, NO_ANSWER);
}

/** Reads the response leniently: a URL, or an object that contains one. Only https URLs are accepted. */
function addressIn(answer: unknown): string | undefined {
  const found = typeof answer === "object" && answer !== null ? fieldsOf(answer).find(isHttps) : answer;
  return isHttps(found) ? found : undefined;
}

function fieldsOf(answer: object): unknown[] {
  return ["url", "liveViewUrl", "webViewUrl", "devtoolsFrontendUrl"].map((name) => Reflect.get(answer, name));
}

function isHttps(value: unknown): value is string {
  return typeof value === "string" && URL.parse(value)?.protocol === "https:";
}
