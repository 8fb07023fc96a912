import { createContext } from "preact";

/** State that a form shares with its controls at any depth. */
export interface FormState {
  /** Paths of required fields that are empty, after the first attempt to run. */
  missing: ReadonlySet<string>;
  /** Reports a control whose text is not a valid value, so that the form is not sent; undefined when it is valid. */
  report: (path: string, problem: string | undefined) => void;
}

export const FormContext = createContext<FormState>({ missing: new Set(), report: () => undefined });

/** Path of the object that a list of fields edits; empty for the body itself. */
export const PathContext = createContext("");
