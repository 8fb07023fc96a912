/** How a field of a request is accounted for. */
export type Entry =
  /** The job, plan or record that a request with `more` makes differs from that of a request with `without`. */
  | { kind: "changes"; more: object; without: object }
  /** The response to a request with `more` names the field in `warning`. */
  | { kind: "named"; more: object }
  /** A request with `more` is refused. */
  | { kind: "refused"; more: object }
  /** A test file shows the effect of the field. */
  | { kind: "tested"; file: string }
  /** The field identifies the caller, or details what is not there; it changes nothing, by its description. */
  | { kind: "caller" };

export type Entries = Record<string, Entry>;

export const changes = (more: object, without: object = {}): Entry => ({ kind: "changes", more, without });
export const named = (more: object): Entry => ({ kind: "named", more });
export const refused = (more: object): Entry => ({ kind: "refused", more });
export const tested = (file: string): Entry => ({ kind: "tested", file });

/** The same test file for several fields. */
export const testedIn = (file: string, ...fields: string[]): Entries =>
  Object.fromEntries(fields.map((field) => [field, tested(file)]));

export const CALLER: Entries = { origin: { kind: "caller" }, integration: { kind: "caller" } };
