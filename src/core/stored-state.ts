import type { z } from "zod";
import { AppError } from "./errors.ts";

/**
 * Parses stored JSON text: state that this or an older version of the service has written. Fields that were added later
 * are optional in the schema or have a default; fields that it does not know are dropped, unless it is `writtenBack`.
 * @param what the name of the state, for the error: “step job”.
 * @throws AppError STORED_STATE_UNREADABLE when the text has no form that this version understands. The message names
 * the field, and never its value.
 */
export function readStored<Schema extends z.ZodType>(schema: Schema, text: string, what: string): z.output<Schema> {
  return checkStored<z.output<Schema>>(schema as z.ZodType<z.output<Schema>>, parseStored(text, what), what);
}

/** Returns the schema of state that is written back: it keeps fields of later versions, which its type does not have. */
export function writtenBack<Schema extends z.ZodObject>(schema: Schema): Schema {
  return schema.loose() as unknown as Schema;
}

/** Checks a part of stored state that is already parsed. @throws AppError STORED_STATE_UNREADABLE as `readStored` does. */
export function checkStored<Output>(schema: z.ZodType<Output>, value: unknown, what: string): Output {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data as Output;
  const [issue] = error.issues;
  throw unreadable(what, `${issue?.path.join(".") ?? ""}: ${issue?.code ?? "unknown"}`);
}

/** Parses stored text that can be replaced, such as a cached page. @returns undefined when it cannot be read. */
export function readReplaceable<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined {
  try {
    return readStored(schema, text, "");
  } catch {
    return undefined;
  }
}

/**
 * Parses a stored list by a guard instead of a schema, for lists of hundreds of short entries that are read for every
 * few pages of a crawl.
 * @throws AppError STORED_STATE_UNREADABLE
 */
export function readStoredList<Entry>(
  isEntry: (value: unknown) => value is Entry,
  text: string,
  what: string,
): Entry[] {
  const value = parseStored(text, what);
  if (Array.isArray(value) && value.every(isEntry)) return value;
  throw unreadable(what, "an entry has another form");
}

/** Parses text that the running version itself has written, where a schema costs too much: hence the cast. */
export function readOwn<State>(text: string): State {
  const state: unknown = JSON.parse(text);
  return state as State;
}

/** Parses stored JSON text of any form. @throws AppError STORED_STATE_UNREADABLE for text that is not JSON. */
export function parseStored(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(what, "it is not JSON");
  }
}

export function isString(value: unknown): value is string {
  return typeof value === "string";
}

/** Reports whether a value is a tuple that begins with values of these types. */
export function startsWith(value: unknown, types: readonly ("string" | "number")[]): value is unknown[] {
  return Array.isArray(value) && types.every((type, index) => typeof value[index] === type);
}

function unreadable(what: string, why: string): AppError {
  const message = `A stored ${what} cannot be read by this version of the service (${why})`;
  return new AppError("STORED_STATE_UNREADABLE", message);
}
