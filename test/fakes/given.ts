/** Returns a value that the test relies on. @throws Error when it is missing */
export function given<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new Error("A value that the test relies on is missing");
  return value;
}
