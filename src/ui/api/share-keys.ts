import { isKey } from "./key-format.ts";
import type { Keys } from "./key-format.ts";

/** A message between the dashboard's tabs in one browser. */
export type KeysMessage = { type: "request" } | { type: "keys"; keys: Keys } | { type: "signed-out" };

/** Time in ms that a new tab waits for the keys of another tab before it shows the sign-in form. */
export const SHARE_MS = 150;

/** The sign-in of this tab. */
export interface SignedIn {
  get(): Keys | undefined;
  /** Signs in with the keys of another tab. */
  adopt(keys: Keys): void;
  signOut(): void;
  subscribe(listener: (keys: Keys | undefined) => void): void;
}

/** A connection to the other tabs. */
export interface TabChannel {
  send(message: KeysMessage): void;
  listen(receive: (data: unknown) => void): void;
}

/**
 * Shares the sign-in between tabs: a new tab requests the keys from the tabs that are signed in, and signing out ends
 * the sign-in of all. A `BroadcastChannel` reaches pages of the same origin only, and stores nothing.
 */
export function shareKeys(own: SignedIn, channel: TabChannel = openChannel()): void {
  let isReceiving = false;
  channel.listen((data) => {
    const message = readKeysMessage(data);
    const current = own.get();
    if (message?.type === "request" && current !== undefined) channel.send({ type: "keys", keys: current });
    isReceiving = true;
    if (message?.type === "keys" && (current === undefined || current.key === message.keys.key)) {
      own.adopt(message.keys);
    }
    if (message?.type === "signed-out" && current !== undefined) own.signOut();
    isReceiving = false;
  });
  own.subscribe((next) => {
    if (!isReceiving) channel.send(next === undefined ? { type: "signed-out" } : { type: "keys", keys: next });
  });
  if (own.get() === undefined) channel.send({ type: "request" });
}

function openChannel(): TabChannel {
  const channel = new BroadcastChannel("orbweaver.keys");
  return {
    send: channel.postMessage.bind(channel),
    listen: (receive) => channel.addEventListener("message", ({ data }: { data: unknown }) => receive(data)),
  };
}

/** Returns a message with valid keys; undefined for anything else. */
export function readKeysMessage(data: unknown): KeysMessage | undefined {
  const { type, keys: given } = (typeof data === "object" && data !== null ? data : {}) as Record<string, unknown>;
  if (type === "request" || type === "signed-out") return { type };
  const { key, adminKey } = (typeof given === "object" && given !== null ? given : {}) as Record<string, unknown>;
  if (type !== "keys" || typeof key !== "string" || !(key === "" || isKey(key))) return undefined;
  return { type, keys: { key, adminKey: typeof adminKey === "string" && isKey(adminKey) ? adminKey : undefined } };
}
