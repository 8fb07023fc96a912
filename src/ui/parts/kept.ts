/** JSON in the browser's storage; what cannot be read or written counts as not there. */
export function readKept<Value>(name: string, fallback: Value, storage: Storage = localStorage): Value {
  try {
    const text = storage.getItem(`orbweaver.${name}`);
    return text === null ? fallback : (JSON.parse(text) as Value);
  } catch {
    return fallback;
  }
}

export function keep(name: string, value: unknown, storage: Storage = localStorage): void {
  try {
    if (value === undefined) storage.removeItem(`orbweaver.${name}`);
    else storage.setItem(`orbweaver.${name}`, JSON.stringify(value));
  } catch {
    // A full or forbidden storage costs convenience and nothing else.
  }
}
