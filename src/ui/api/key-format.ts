/** The keys that this browser is signed in with. They are sent to this service only, as bearer tokens. */
export interface Keys {
  /** Empty if the service does not require a key. */
  key: string;
  /** A key with the admin scope; undefined if none was entered. */
  adminKey: string | undefined;
}

const KEY = /^fc-[0-9a-f]{32}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function isKey(text: string): boolean {
  return KEY.test(text.trim());
}
