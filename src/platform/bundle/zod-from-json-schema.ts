/**
 * Takes the place of zod's reader of JSON Schemas in the Worker (`[alias]` of wrangler.toml). zod offers it in the object that
 * holds all of its functions; the service validates by JSON Schemas with `@cfworker/json-schema`.
 */
export function fromJSONSchema(): never {
  throw new Error("Making zod schemas of JSON Schemas is not part of this Worker");
}
