import { z } from "zod";
import { countJsonValues } from "../text/count-json-values.ts";

/** A command of a driver. The protocol's ids are 32-bit integers; negative ids are reserved for the relay. */
const Command = z.object({
  id: z.int().min(0).max(0x7fffffff),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
  sessionId: z.string().optional(),
});
export type Command = z.infer<typeof Command>;

/** Objects, lists, fields and list entries of a command: parsing ten million brackets takes two seconds. */
const MAX_VALUES = 200_000;

/** Parses a driver's message; undefined when it is not a command, and for one of too many values. */
export function parseCommand(text: string): Command | undefined {
  if (text.length > MAX_VALUES && countJsonValues(new TextEncoder().encode(text), MAX_VALUES) > MAX_VALUES)
    return undefined;
  try {
    return Command.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Returns the key of a pending command: ids are unique per session. */
export function commandKey({ id, sessionId = "" }: { id: number; sessionId?: string | undefined }): string {
  return `${id} ${sessionId}`;
}
