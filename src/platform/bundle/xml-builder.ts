/**
 * Takes the place of `xmlbuilder` in the Worker (`[alias]` of wrangler.toml). mammoth writes XML with it only to put a
 * style map into a document; the service only reads documents.
 */
export function create(): never {
  throw new Error("Writing XML is not part of this Worker");
}
