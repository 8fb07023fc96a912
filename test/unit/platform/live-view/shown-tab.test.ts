import { expect, test } from "vitest";
import type { CdpConnection } from "../../../../src/platform/browser/cdp-connection.ts";
import { ShownTab } from "../../../../src/platform/live-view/shown-tab.ts";

test("inputs that a page does not answer are dropped beyond a thousand, and sent again when it answers", async () => {
  const waiting: (() => void)[] = [];
  const send = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
  // A tab uses no more of a connection than this.
  const tab = new ShownTab({ send } as unknown as CdpConnection, { targetId: "tab", sessionId: "session" });
  for (let at = 0; at < 5_000; at++) tab.input({ method: "Input.insertText", params: { text: "a" } });
  expect(waiting).toHaveLength(1_000);
  for (const answer of waiting) answer();
  await Promise.resolve();
  tab.input({ method: "Input.insertText", params: { text: "b" } });
  expect(waiting).toHaveLength(1_001);
});
