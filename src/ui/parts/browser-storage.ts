/** Reads JSON from the browser's storage. Returns `fallback` if it is missing or cannot be read. */
export function readStored<Value>(name: string, fallback: Value, storage: Storage = localStorage): Value {
  try {
    const text = storage.getItem(`orbweaver.${name}`);
    return text === null ? fallback : (JSON.parse(text) as Value);
  } catch {
    return fallback;
  }
}

export function writeStored(name: string, value: unknown, storage: Storage = localStorage): void {
  try {
    if (value === undefined) storage.removeItem(`orbweaver.${name}`);
    else storage.setItem(`orbweaver.${name}`, JSON.stringify(value));
  } catch {
    // The storage is full or disabled. Stored values are optional.
  }
}
