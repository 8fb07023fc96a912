import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import type { jsonSchemaValidator, JsonSchemaType, JsonSchemaValidator } from "@modelcontextprotocol/sdk/validation";

const ajv = new AjvJsonSchemaValidator();
const compiled = new Map<string, JsonSchemaValidator<unknown>>();

/**
 * The validator that the SDK's client has unless it is given one. All clients share what it compiles: for the schemas of all
 * tools, that takes half a second for each of them.
 */
export const sharedValidator: jsonSchemaValidator = {
  getValidator<Value>(schema: JsonSchemaType): JsonSchemaValidator<Value> {
    const key = JSON.stringify(schema);
    const validator = compiled.get(key) ?? ajv.getValidator<unknown>(schema);
    compiled.set(key, validator);
    return validator as JsonSchemaValidator<Value>;
  },
};
