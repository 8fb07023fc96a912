import { expect, test, vi } from "vitest";
import { CdpConnection } from "../../../../src/platform/browser/cdp-connection.ts";
import { Caster } from "../../../../src/platform/live-view/caster.ts";

interface Command {
  id: number;
  method: string;
  params?: Record<string, unknown>;
  sessionId?: string;
}

/** A browser with one tab, which refuses the methods that `refuses` names. */
function setUp(refuses: (command: Command, count: number) => boolean) {
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
      const outcome = refuses(command, count) ? { error: { message: "refused" } } : { result };
      queueMicrotask(() => emit({ id: command.id, ...outcome }));
    },
  };
  // A connection uses no more of a socket than this.
  const caster = new Caster(new CdpConnection(socket as unknown as WebSocket), {
    frame: () => undefined,
    changed: () => undefined,
    gone: () => undefined,
    isAnyoneReady: () => true,
  });
  const targetInfo = { targetId: "tab", type: "page", title: "", url: "https://a.example/", attached: false };
  emit({ method: "Target.targetCreated", params: { targetInfo } });
  caster.setAudience(1, false);
  const sessions = (method: string) =>
    sent.filter((command) => command.method === method).map(({ params }) => params?.["sessionId"]);
  return { caster, sent, sessions };
}

test.each(["Page.enable", "Page.startScreencast"])(
  "a cast whose %s fails after attaching leaves no protocol session, and is started again",
  async (method) => {
    const { sent, sessions } = setUp((command, count) => command.method === method && count === 1);
    await vi.waitFor(() => expect(sent.findLast((command) => command.method === "Page.startScreencast")?.sessionId).toBe("session-2")); // prettier-ignore
    expect(sessions("Target.detachFromTarget")).toEqual(["session-1"]);
  },
);

test("a tab that refuses to end its cast is detached from", async () => {
  const { caster, sent, sessions } = setUp(({ method }) => method === "Page.stopScreencast");
  await vi.waitFor(() => expect(sent.some(({ method }) => method === "Page.startScreencast")).toBe(true));
  caster.setAudience(0, false);
  await vi.waitFor(() => expect(sessions("Target.detachFromTarget")).toEqual(["session-1"]));
});
