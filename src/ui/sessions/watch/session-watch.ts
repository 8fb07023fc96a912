import { createStore } from "../../parts/store.ts";
import type { Store } from "../../parts/store.ts";
import { ACTION_SCRIPT, RECORDER_BINDING, RECORDER_WORLD } from "./action-script.ts";
import { readAction, withAction } from "./actions.ts";
import type { Action } from "./actions.ts";
import { EMPTY_LOG, withEvent } from "./watch-log.ts";
import type { WatchLog } from "./watch-log.ts";

/** Console, requests and actions of a session, as its CDP URL reports them. */
export interface Watched extends WatchLog {
  state: "connecting" | "connected" | "closed";
  actions: readonly Action[];
}

interface Message {
  method?: string;
  params?: Record<string, unknown>;
  sessionId?: string;
}

/** Time in ms after an action within which a navigation is its effect. */
const EFFECT_MS = 5_000;
/** Time in ms in which a person does not do the same twice. */
const REPEAT_MS = 30;

/** Watches the console, the requests and the actions of all tabs of a session. */
export interface SessionWatch {
  watched: Store<Watched>;
  close(): void;
}

/**
 * @param cdpUrl WebSocket URL, on the dashboard's origin.
 * @param earlier What an earlier connection has watched, to continue it.
 */
export function watchSession(cdpUrl: string, earlier?: Watched): SessionWatch {
  const watched = createStore<Watched>({ ...EMPTY_LOG, actions: [], ...earlier, state: "connecting" });
  const socket = new WebSocket(cdpUrl);
  let nextId = 0;
  let actedMs = -Infinity;
  const isRepeat = repeats();
  const send = (method: string, params: object = {}, sessionId?: string): void => {
    socket.send(JSON.stringify({ id: ++nextId, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
  };
  const act = (action: Action | undefined): void => {
    if (action === undefined) return;
    const current = watched.get();
    if (action.kind === "goto" && performance.now() - actedMs < EFFECT_MS) return;
    if (action.kind !== "goto") actedMs = performance.now();
    watched.set({ ...current, actions: withAction(current.actions, action) });
  };
  const receive = ({ method = "", params = {}, sessionId }: Message): void => {
    if (method === "Target.attachedToTarget") return attached(send, params);
    if (method === "Runtime.bindingCalled" && params["name"] === RECORDER_BINDING) {
      const { payload } = params;
      return isRepeat(String(payload)) ? undefined : act(readAction(payload));
    }
    if (method === "Page.frameNavigated") return act(navigationOf(params));
    if (sessionId === undefined) return;
    const current = watched.get();
    const log = withEvent(current, method, params);
    if (log !== current) watched.set({ ...current, console: log.console, network: log.network });
  };
  socket.addEventListener("open", () => {
    watched.set({ ...watched.get(), state: "connected" });
    send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: true });
  });
  // The service's own messages: hence the cast without a parse.
  socket.addEventListener("message", ({ data }) => receive(JSON.parse(String(data)) as Message));
  socket.addEventListener("close", () => watched.set({ ...watched.get(), state: "closed" }));
  return { watched, close: () => socket.close() };
}

/**
 * Returns a function that reports whether an action was sent before within `REPEAT_MS`. The scripts of earlier connections
 * stay in the pages that they were added to, and send each action as well.
 */
function repeats(): (payload: string) => boolean {
  let latest = new Map<string, number>();
  return (payload) => {
    const nowMs = performance.now();
    latest = new Map([...latest].filter(([, atMs]) => nowMs - atMs < REPEAT_MS));
    const isKnown = latest.has(payload);
    if (!isKnown) latest.set(payload, nowMs);
    return isKnown;
  };
}

function attached(
  send: (method: string, params?: object, sessionId?: string) => void,
  params: Record<string, unknown>,
): void {
  const { sessionId, targetInfo } = params as { sessionId: string; targetInfo?: { type?: string } };
  if (targetInfo?.type !== "page") return;
  for (const domain of ["Page", "Runtime", "Log", "Network"]) send(`${domain}.enable`, {}, sessionId);
  send("Runtime.addBinding", { name: RECORDER_BINDING, executionContextName: RECORDER_WORLD }, sessionId);
  const script = { source: ACTION_SCRIPT, worldName: RECORDER_WORLD, runImmediately: true };
  send("Page.addScriptToEvaluateOnNewDocument", script, sessionId);
}

function navigationOf(params: Record<string, unknown>): Action | undefined {
  const { url, parentId } = (params["frame"] ?? {}) as { url?: string; parentId?: string };
  return parentId === undefined && url !== undefined && /^https?:/.test(url) ? { kind: "goto", url } : undefined;
}
