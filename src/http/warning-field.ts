/** Returns the field `warning` of a response: the warnings in one text, and no field without any. */
export function warningField(warnings: readonly (string | undefined)[]): { warning?: string } {
  const given = warnings.filter((warning) => warning !== undefined);
  return given.length === 0 ? {} : { warning: given.join(" ") };
}
