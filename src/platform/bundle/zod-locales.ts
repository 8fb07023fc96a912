/**
 * Takes the place of zod's list of locales in the Worker (`[alias]` of wrangler.toml). esbuild keeps all fifty of them,
 * 267 kB, since zod offers them as one object; the messages of the service are in English.
 */
export { default as en } from "zod/v4/locales/en.js";
