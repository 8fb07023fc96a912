import { z } from "zod";
import { countJsonValues } from "../text/count-json-values.ts";

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A command of a driver. The protocol's ids are 32-bit integers; negative ids are reserved for the relay. */
const Command = z.object({
  id: z.int().min(0).max(0x7fffffff),
  method: z.string(),
  params: z.custom<Record<string, unknown>>(isObject).optional(),
  sessionId: z.string().optional(),
});
export type Command = z.infer<typeof Command>;

/** Objects, lists, fields and list entries of a command: parsing ten million brackets takes two seconds. */
const MAX_VALUES = 200_000;
/** Parameters of a command, fields of one that is an object, and entries of one that is a list. */
const MAX_PARAMETERS = 100;
const MAX_FIELDS = 1_000;
const MAX_ENTRIES = 10_000;

/** A message up to this length counts as one. */
const SHORT = 10_000;
/** Handling this many characters, or values, takes about as long as a short message. */
const CHARS_PER_MESSAGE = 20_000;
const VALUES_PER_MESSAGE = 500;

const countValues = (text: string): number => countJsonValues(new TextEncoder().encode(text), MAX_VALUES);

/**
 * Parses a driver's message.
 * @returns the reason why it is refused, for one that is not a command, or has too many values
 */
export function parseCommand(text: string): Command | string {
  if (text.length > MAX_VALUES && countValues(text) > MAX_VALUES) {
    return `A command has at most ${MAX_VALUES} objects, lists, fields and list entries`;
  }
  try {
    return Command.safeParse(JSON.parse(text)).data ?? "Not a command";
  } catch {
    return "Not a command";
  }
}

/** Returns the limit that the parameters of a command exceed, as a message for the driver. */
export function excessOf({ params = {} }: Command): string | undefined {
  const entries = Object.entries(params);
  if (entries.length > MAX_PARAMETERS) return `At most ${MAX_PARAMETERS} parameters`;
  for (const [name, value] of entries) {
    if (Array.isArray(value)) {
      if (value.length > MAX_ENTRIES) return `${name}: At most ${MAX_ENTRIES} entries`;
    } else if (typeof value === "object" && value !== null && Object.keys(value).length > MAX_FIELDS) {
      return `${name}: At most ${MAX_FIELDS} fields`;
    }
  }
  return undefined;
}

/** Returns the time that handling a driver's message takes, in that of a short one. */
export function messageCost(text: string): number {
  if (text.length <= SHORT) return 1;
  return 1 + text.length / CHARS_PER_MESSAGE + countValues(text) / VALUES_PER_MESSAGE;
}

/** Returns the key of a pending command: ids are unique per session. */
export function commandKey({ id, sessionId = "" }: { id: number; sessionId?: string | undefined }): string {
  return `${id} ${sessionId}`;
}
