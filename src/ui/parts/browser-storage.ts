/** Reads JSON from the browser's storage. Returns `fallback` if it is missing or cannot be read. */
export function readStored<Value>(name: string, fallback: Value, storage: Storage = localStorage): Value {
  try {
    const text = storage.getItem(storedName(name));
    return text === null ? fallback : (JSON.parse(text) as Value);
  } catch {
    return fallback;
  }
}

/** @returns false if the storage is full or disabled. Stored values are optional. */
export function writeStored(name: string, value: unknown, storage: Storage = localStorage): boolean {
  try {
    if (value === undefined) storage.removeItem(storedName(name));
    else storage.setItem(storedName(name), JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** Returns the name of a value in the storage, which pages of other programs may share. */
export function storedName(name: string): string {
  return `orbweaver.${name}`;
}
