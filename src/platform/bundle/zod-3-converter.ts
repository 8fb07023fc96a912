/**
 * Takes the place of `zod-to-json-schema` in the Worker (`[alias]` of wrangler.toml). The MCP SDK converts schemas of zod 3
 * with it; those of the service are of version 4, which zod converts by itself.
 */
export function zodToJsonSchema(): never {
  throw new Error("Schemas of zod 3 are not part of this Worker: pass one of zod 4");
}
