import { z } from "zod";

const DESCRIPTION = "Accepted for compatibility. It has no effect; `warning` says so.";

/** Returns a field that clients send and that has no effect here. The service names it in `warning` when it is set. */
export function withoutEffect<Schema extends z.ZodType = z.ZodUnknown>(schema?: Schema): z.ZodOptional<Schema> {
  return ((schema ?? z.unknown()) as Schema).optional().describe(DESCRIPTION);
}

/** Reports whether an option is requested: some clients send options only to disable them. */
export function isRequested(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

/** Returns the warnings about the named fields that a request sets, although they have no effect. */
export function warningsWithoutEffect<Name extends string>(
  request: Partial<Readonly<Record<Name, unknown>>>,
  names: readonly Name[],
): string[] {
  return names.filter((name) => isRequested(request[name])).map((name) => `${name}: it has no effect on this service.`);
}
