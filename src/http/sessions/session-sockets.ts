import { relayCdp, type RelayGuard } from "../../core/cdp/cdp-relay.ts";
import { trafficOf } from "../../core/cdp/session-traffic.ts";
import { AppError, ERRORS, isAppError } from "../../core/errors.ts";
import type { Deps } from "../../services/deps.ts";
import { enterSession, type Entrance } from "../../services/sessions/enter-session.ts";

/** A requested socket of a session: its live view, or its browser. */
export interface SessionEndpoint {
  kind: "view" | "cdp";
  id: string;
  token: string;
  /** One page of the browser instead of the browser itself. */
  targetId: string | undefined;
  /** True to drive the session in the live view. */
  isInteractive: boolean;
}

type ConnectorDeps = Pick<Deps, "browserSessions" | "sessionConnector" | "log">;

const CDP_PATH =
  /^\/v2\/(?:browser|interact)\/([^/]+)\/cdp(?:\/page\/([^/]+)|\/devtools\/(?:browser\/[^/]+|page\/([^/]+)))?\/?$/;
const VIEW_PATH = /^\/view\/([^/]+)\/socket$/;
/** Interval at which a CDP connection reports activity and checks that its session has not ended. */
const REPORT_MS = 10_000;

/** Returns the session socket that a request wants; undefined for every other request. */
export function sessionEndpointOf(request: Request): SessionEndpoint | undefined {
  if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") return undefined;
  const { pathname, searchParams } = new URL(request.url);
  const asked = { token: searchParams.get("token") ?? "", isInteractive: searchParams.get("interactive") === "true" };
  const view = VIEW_PATH.exec(pathname)?.[1];
  if (view !== undefined) return { ...asked, kind: "view", id: view, targetId: undefined };
  const [, id, page, devtoolsPage] = CDP_PATH.exec(pathname) ?? [];
  return id === undefined ? undefined : { ...asked, kind: "cdp", id, targetId: page ?? devtoolsPage };
}

/** Opens the socket, or refuses it with an HTTP response: CDP clients show its status and text. */
export async function openSessionSocket(deps: ConnectorDeps, endpoint: SessionEndpoint): Promise<Response> {
  try {
    const entrance = await enterSession(deps, { ...endpoint, wanted: endpoint.kind });
    return endpoint.kind === "view"
      ? await openView(deps, endpoint, entrance)
      : await openBrowser(deps, endpoint, entrance);
  } catch (error) {
    if (!isAppError(error)) deps.log({ event: "session_socket_failed", message: String(error) });
    return refusal(isAppError(error) ? error : new AppError("UNKNOWN_ERROR"));
  }
}

async function openView(deps: ConnectorDeps, endpoint: SessionEndpoint, entrance: Entrance): Promise<Response> {
  const mode = entrance.scope === "drive" && endpoint.isInteractive ? "drive" : "view";
  return connectorOf(deps).view(endpoint.id, { browserId: entrance.browserSessionId, mode });
}

async function openBrowser(
  deps: ConnectorDeps,
  endpoint: SessionEndpoint,
  { browserSessionId }: Entrance,
): Promise<Response> {
  const sessions = deps.browserSessions;
  if (sessions === undefined) throw new AppError("BROWSER_NOT_CONFIGURED");
  const { targetId } = endpoint;
  if (targetId !== undefined && !(await sessions.whenIntercepted(endpoint.id, targetId)))
    throw new AppError("NOT_FOUND");
  const traffic = trafficOf(endpoint.id);
  if (!traffic.connect(Date.now())) {
    throw new AppError("CONCURRENCY_LIMITED", "This session has too many connections");
  }
  const browser = await connectorOf(deps)
    .connect(browserSessionId, targetId)
    .catch((error: unknown) => {
      traffic.disconnect();
      throw error;
    });
  if (browser === undefined) {
    traffic.disconnect();
    throw new AppError(targetId === undefined ? "BROWSER_SESSION_ENDED" : "NOT_FOUND");
  }
  const { 0: client, 1: server } = new WebSocketPair();
  const reportActivity = activityReporter(deps, endpoint);
  const guard: RelayGuard = {
    whenIntercepted: (id, url) => sessions.whenIntercepted(endpoint.id, id, url),
    mayRequest: (url) => sessions.mayRequest(endpoint.id, url),
    onLeft: () => void sessions.driverLeft(endpoint.id).catch(() => undefined),
    onCommand: () => void reportActivity().then((isActive) => isActive || relay.cut("The session has ended")),
  };
  const relay = relayCdp(server, browser, guard, traffic);
  return new Response(null, { status: 101, webSocket: client });
}

/** Returns a function that reports activity at most every `REPORT_MS`; it returns false after the end of the session. */
function activityReporter(deps: ConnectorDeps, { id, token }: SessionEndpoint): () => Promise<boolean> {
  let reportedMs = Date.now();
  return async () => {
    const nowMs = Date.now();
    if (nowMs - reportedMs < REPORT_MS) return true;
    reportedMs = nowMs;
    // A failed call is no reason to cut the connection.
    const access = await deps.browserSessions?.authorize(id, token, "cdp").catch(() => undefined);
    return access?.kind !== "refused";
  };
}

function connectorOf({ sessionConnector }: ConnectorDeps): NonNullable<ConnectorDeps["sessionConnector"]> {
  if (sessionConnector === undefined) throw new AppError("BROWSER_NOT_CONFIGURED");
  return sessionConnector;
}

function refusal({ code, message }: AppError): Response {
  const spec = ERRORS[code];
  const shown = "hiddenCode" in spec ? {} : { code };
  return Response.json({ success: false, error: message, ...shown }, { status: spec.status });
}
