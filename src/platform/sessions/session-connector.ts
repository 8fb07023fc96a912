import type { Meter } from "../../core/account/meter.ts";
import type { SessionConnector, ViewerMode } from "../../ports/sessions/live-view.ts";
import { within } from "../browser/abortable.ts";
import type { LiveView } from "../live-view/live-view.ts";
import { viewerAddress } from "../live-view/viewers.ts";

interface SessionConnectorOptions {
  binding: Fetcher;
  views: Pick<DurableObjectNamespace<LiveView>, "getByName">;
  meter: Meter;
}

/** The live view of the platform, as its binding offers it where it does. */
interface NativeViews {
  getLiveView(
    sessionId: string,
    options: { mode: "tab"; expiresInMs: number; guardrails?: { mode: "readonly" } },
  ): Promise<unknown>;
}

/** The link is opened at once: this is the time to start, not to watch. */
const NATIVE_LINK_MS = 300_000;
const NATIVE_LIMIT_MS = 3_000;

/** Once a binding said that it has no live view of its own, it is not asked again as long as this isolate lives. */
const withoutNativeView = new WeakSet<Fetcher>();

/** Reaches a session's browser through the platform's binding, and its live view through the view's own object. */
export function createSessionConnector({ binding, views, meter }: SessionConnectorOptions): SessionConnector {
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
      const response = await ask(browserId, `/json/${what}`);
      if (response.ok) return response.json();
      await response.body?.cancel();
      return undefined;
    },

    view(sessionId, viewer) {
      meter.add("durableObjectRequests");
      const address = viewerAddress(viewer);
      return views.getByName(sessionId).fetch(address, { headers: { Upgrade: "websocket" } });
    },

    async nativeView(browserId, mode) {
      if (withoutNativeView.has(binding)) return undefined;
      const url = await askNative(binding, browserId, mode).catch(() => undefined);
      if (url === undefined) withoutNativeView.add(binding);
      return url;
    },
  };
}

/** A link for viewing alone is held to that by the platform itself. */
async function askNative(binding: Fetcher, browserId: string, mode: ViewerMode): Promise<string | undefined> {
  // Bindings without it refuse the call, as every method that they do not have.
  const asked = (binding as unknown as NativeViews).getLiveView(browserId, {
    mode: "tab",
    expiresInMs: NATIVE_LINK_MS,
    ...(mode === "view" ? { guardrails: { mode: "readonly" } } : {}),
  });
  return addressIn(await within(asked, NATIVE_LIMIT_MS, undefined));
}

/** The answer is read leniently: as an address, or as an object that has one. Anything but https is no address. */
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
