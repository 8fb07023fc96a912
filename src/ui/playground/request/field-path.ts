/** Path of the parameters in a form; fields of the body have no prefix. */
export const PARAMETERS = "?";

/** Returns the path of a field or step below another one: `formats.attributes.selectors`. */
export function pathBelow(parent: string, step: string | number): string {
  return parent === "" ? String(step) : `${parent}.${step}`;
}
