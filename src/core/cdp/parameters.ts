import { z } from "zod";
import { openableHref } from "./shown-target.ts";

/** Parameter schema of each allowed method. The browser receives the schema's output. */
export type MethodTable = Record<string, z.ZodType<Record<string, unknown>>>;

export const text = z.string();
export const num = z.number();
export const flag = z.boolean();
/** Values that only affect pages, which the browser validates. */
export const list = z.array(z.unknown());
export const fields = z.record(z.string(), z.unknown());

/** Returns a schema of named parameters that refuses all others. */
export function takes<R extends z.ZodRawShape, O extends z.ZodRawShape = Record<never, z.ZodType>>(
  required: R,
  optional?: O,
) {
  // The result of `partial`, whose type is lost on a shape that may be undefined.
  const optionals = z.object(optional ?? {}).partial().shape as { [Name in keyof O]: z.ZodOptional<O[Name]> };
  return z.strictObject({ ...required, ...optionals });
}

/** Returns the schema of a protocol parameter that is refused, with the reason for the caller. */
export const refused = (reason: string) => z.never({ error: reason });

/** A URL to which a page may navigate, serialized by `URL`: Chromium never receives the caller's text. */
export const openableUrl = z.string().transform((written, context) => {
  const href = written === "" ? "about:blank" : openableHref(written);
  if (href !== undefined) return href;
  context.addIssue({ code: "custom", message: "Only web addresses can be opened: http, https and about:blank" });
  return z.NEVER;
});

/** A URL that a request may have; the guard decides whether its host is allowed. */
export const requestUrl = z.string().transform((written, context) => {
  const url = URL.parse(written);
  if (url?.protocol === "http:" || url?.protocol === "https:") return url.href;
  context.addIssue({ code: "custom", message: "Only web addresses can be requested: http and https" });
  return z.NEVER;
});

/** RFC 9110 § 5.6.2 and § 5.5: a header must not contain characters that end it. */
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "Not the name of a header");
const headerValue = z.string().regex(/^[^\0\r\n]*$/, "A header has one line");
export const headers = z.array(z.strictObject({ name: headerName, value: headerValue }));
export const statusPhrase = headerValue;

/** Selects a command's targets by type. */
export const targetFilter = z.array(takes({}, { type: text, exclude: flag }));
