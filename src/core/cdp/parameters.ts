import { z } from "zod";
import { openableHref } from "./shown-target.ts";

/** The schema of each allowed method's parameters. What it gives is what the browser is sent. */
export type MethodTable = Record<string, z.ZodType<Record<string, unknown>>>;

export const text = z.string();
export const num = z.number();
export const flag = z.boolean();
/** Values that stay inside of pages, which the browser checks by itself. */
export const list = z.array(z.unknown());
export const fields = z.record(z.string(), z.unknown());

/** Parameters by name; every other one is refused. */
export function takes<R extends z.ZodRawShape, O extends z.ZodRawShape = Record<never, z.ZodType>>(
  required: R,
  optional?: O,
) {
  // What `partial` does to a shape, which is lost on a shape that may be missing.
  const optionals = z.object(optional ?? {}).partial().shape as { [Name in keyof O]: z.ZodOptional<O[Name]> };
  return z.strictObject({ ...required, ...optionals });
}

/** A parameter that the protocol has and that is refused, with the reason for the caller. */
export const refused = (reason: string) => z.never({ error: reason });

/** A URL that a page may be sent to, as `URL` writes it: Chromium is never given the text that the caller wrote. */
export const openableUrl = z.string().transform((written, context) => {
  const href = written === "" ? "about:blank" : openableHref(written);
  if (href !== undefined) return href;
  context.addIssue({ code: "custom", message: "Only web addresses can be opened: http, https and about:blank" });
  return z.NEVER;
});

/** A URL that a request may go to; whether its host may be called is the guard's to say. */
export const requestUrl = z.string().transform((written, context) => {
  const url = URL.parse(written);
  if (url?.protocol === "http:" || url?.protocol === "https:") return url.href;
  context.addIssue({ code: "custom", message: "Only web addresses can be requested: http and https" });
  return z.NEVER;
});

/** RFC 9110 § 5.6.2 and § 5.5: nothing in a header may end it. */
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "Not the name of a header");
const headerValue = z.string().regex(/^[^\0\r\n]*$/, "A header has one line");
export const headers = z.array(z.strictObject({ name: headerName, value: headerValue }));
export const statusPhrase = headerValue;

/** Which targets a command is about, by their kind. */
export const targetFilter = z.array(takes({}, { type: text, exclude: flag }));
