import { expect, test, vi } from "vitest";
import { CdpConnection } from "../../../../src/platform/browser/cdp-connection.ts";
import { Caster } from "../../../../src/platform/live-view/caster.ts";

interface Command {
  id: number;
  method: string;
  params?: Record<string, unknown>;
  sessionId?: string;
}

type Outcome = "refused" | "unanswered" | undefined;

/** A browser with one tab, which refuses commands, or leaves them without an answer, as `outcomeOf` says. */
function setUp(outcomeOf: (command: Command, count: number) => Outcome) {
  const sent: Command[] = [];
  const listeners: ((event: { data: string }) => void)[] = [];
  const emit = (message: object): void => {
    for (const listener of listeners) listener({ data: JSON.stringify(message) });
  };
  let attached = 0;
  const socket = {
    addEventListener: (name: string, listener: (event: { data: string }) => void) => {
      if (name === "message") listeners.push(listener);
    },
    accept: () => undefined,
    close: () => undefined,
    send: (text: string) => {
      const command = JSON.parse(text) as Command;
      sent.push(command);
      const count = sent.filter(({ method }) => method === command.method).length;
      const result = command.method === "Target.attachToTarget" ? { sessionId: `session-${++attached}` } : {};
      const outcome = outcomeOf(command, count);
      if (outcome === "unanswered") return;
      const answer = outcome === "refused" ? { error: { message: "refused" } } : { result };
      queueMicrotask(() => emit({ id: command.id, ...answer }));
    },
  };
  // A connection uses no more of a socket than this.
  const caster = new Caster(new CdpConnection(socket as unknown as WebSocket), {
    frame: () => undefined,
    changed: () => undefined,
    gone: () => undefined,
    isAnyoneReady: () => true,
  });
  const opens = (targetId: string): void => {
    const targetInfo = { targetId, type: "page", title: "", url: "https://a.example/", attached: false };
    emit({ method: "Target.targetCreated", params: { targetInfo } });
  };
  opens("tab");
  caster.setAudience(1, false);
  const sessions = (method: string) =>
    sent.filter((command) => command.method === method).map(({ params }) => params?.["sessionId"]);
  return { caster, sent, sessions, emit, opens };
}

test.each(["Page.enable", "Page.startScreencast"])(
  "a cast whose %s fails after attaching leaves no protocol session, and is started again",
  async (method) => {
    const { sent, sessions } = setUp((command, count) =>
      command.method === method && count === 1 ? "refused" : undefined,
    );
    await vi.waitFor(() => expect(sent.findLast((command) => command.method === "Page.startScreencast")?.sessionId).toBe("session-2")); // prettier-ignore
    expect(sessions("Target.detachFromTarget")).toEqual(["session-1"]);
  },
);

test("a tab that refuses to end its cast is detached from", async () => {
  const { caster, sent, sessions } = setUp(({ method }) => (method === "Page.stopScreencast" ? "refused" : undefined));
  await vi.waitFor(() => expect(sent.some(({ method }) => method === "Page.startScreencast")).toBe(true));
  caster.setAudience(0, false);
  await vi.waitFor(() => expect(sessions("Target.detachFromTarget")).toEqual(["session-1"]));
});

test("a tab that closes before its cast has begun does not hold up the next one", async () => {
  const { sent, emit, opens } = setUp(({ method, sessionId }) => (method === "Page.enable" && sessionId === "session-2" ? "unanswered" : undefined)); // prettier-ignore
  const castSessions = () => sent.filter(({ method }) => method === "Page.startScreencast").map(({ sessionId }) => sessionId); // prettier-ignore
  await vi.waitFor(() => expect(castSessions()).toEqual(["session-1"]));
  opens("other");
  await vi.waitFor(() => expect(sent.at(-1)).toMatchObject({ method: "Page.enable", sessionId: "session-2" }));
  emit({ method: "Target.detachedFromTarget", params: { sessionId: "session-2" } });
  emit({ method: "Target.targetDestroyed", params: { targetId: "other" } });
  await vi.waitFor(() => expect(castSessions()).toEqual(["session-1", "session-3"]));
});

test("a tab that answers nothing holds up the next one for a while only", async () => {
  vi.useFakeTimers();
  try {
    const { sent, opens } = setUp(({ method, sessionId }) => (method === "Page.enable" && sessionId === "session-2" ? "unanswered" : undefined)); // prettier-ignore
    await vi.advanceTimersByTimeAsync(100);
    opens("other");
    await vi.advanceTimersByTimeAsync(1_000);
    opens("third");
    await vi.advanceTimersByTimeAsync(15_000);
    expect(sent.findLast(({ method }) => method === "Page.enable")?.sessionId).toBe("session-3");
  } finally {
    vi.useRealTimers();
  }
});
