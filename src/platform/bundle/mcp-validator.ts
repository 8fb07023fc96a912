/**
 * Takes the place of the MCP SDK's default validator in the Worker (`[alias]` of wrangler.toml). The default, Ajv, builds
 * code from schemas, which workerd refuses.
 */
export { CfWorkerJsonSchemaValidator as AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/cfworker-provider.js";
