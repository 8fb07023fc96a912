/**
 * Takes the place of version 3 of zod in the Worker (`[alias]` of wrangler.toml), 50 kB. The AI SDK and the MCP SDK import it
 * for schemas of that version; those of the service are of version 4, which the SDKs recognise before they look here.
 */
export function object(): never {
  throw new Error("Schemas of zod 3 are not part of this Worker: pass one of zod 4");
}

/** Names of the types of version 3, to which its schemas would be compared. */
export const ZodFirstPartyTypeKind: Readonly<Record<string, string>> = {};
