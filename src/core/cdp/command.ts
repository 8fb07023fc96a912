import { z } from "zod";

/** A command of a driver. The protocol's ids are 32-bit integers; negative ids are reserved for the relay. */
const Command = z.object({
  id: z.int().min(0).max(0x7fffffff),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
  sessionId: z.string().optional(),
});
export type Command = z.infer<typeof Command>;

/** Parses a driver's message; undefined when it is not a command. */
export function parseCommand(text: string): Command | undefined {
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
