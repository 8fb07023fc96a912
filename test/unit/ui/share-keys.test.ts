import { expect, test } from "vitest";
import type { Keys } from "../../../src/ui/api/key-format.ts";
import { readKeysMessage, shareKeys } from "../../../src/ui/api/share-keys.ts";
import type { KeysMessage } from "../../../src/ui/api/share-keys.ts";

const KEY = `fc-${"a".repeat(32)}`;
const OTHER = `fc-${"b".repeat(32)}`;

function signedOutTab() {
  let current: Keys | undefined;
  let tellChange: (keys: Keys | undefined) => void = () => undefined;
  const set = (next: Keys | undefined): void => {
    current = next;
    tellChange(next);
  };
  return {
    set,
    get: () => current,
    adopt: set,
    signOut: () => set(undefined),
    subscribe: (listener: typeof tellChange) => void (tellChange = listener),
  };
}

test("a new tab requests the keys of another tab, takes them once, and is signed out with it", () => {
  const sent: KeysMessage[] = [];
  let receive: (data: unknown) => void = () => undefined;
  const keys = signedOutTab();
  shareKeys(keys, { send: (message) => sent.push(message), listen: (listener) => (receive = listener) });
  expect(sent).toEqual([{ type: "request" }]);
  receive({ type: "keys", keys: { key: KEY } });
  expect(keys.get()).toEqual({ key: KEY, adminKey: undefined });
  receive({ type: "keys", keys: { key: OTHER } });
  expect(keys.get()?.key).toBe(KEY);
  receive({ type: "keys", keys: { key: KEY, adminKey: OTHER } });
  expect(keys.get()?.adminKey).toBe(OTHER);
  // Received keys are not sent on; a request is answered.
  expect(sent).toHaveLength(1);
  receive({ type: "request" });
  expect(sent.at(-1)).toEqual({ type: "keys", keys: { key: KEY, adminKey: OTHER } });
  receive({ type: "signed-out" });
  expect(keys.get()).toBeUndefined();
  expect(sent).toHaveLength(2);
  keys.set({ key: KEY, adminKey: undefined });
  keys.signOut();
  expect(sent.slice(2).map(({ type }) => type)).toEqual(["keys", "signed-out"]);
});

test.each([undefined, "keys", { type: "keys" }, { type: "keys", keys: { key: "javascript:1" } }, { type: "other" }])(
  "the message %o is ignored",
  (data) => expect(readKeysMessage(data)).toBeUndefined(),
);
