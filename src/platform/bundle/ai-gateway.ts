/**
 * Takes the place of `@ai-sdk/gateway` in the Worker (`[alias]` of wrangler.toml). The AI SDK imports that client of a
 * hosted service for models that are given by name alone; the service always passes a model object.
 */
export function createGateway(): never {
  throw new Error("The AI gateway is not part of this Worker: pass a model object");
}

export const gateway = { languageModel: createGateway, embeddingModel: createGateway };

export class GatewayError extends Error {
  readonly isRetryable = false;
}

export class GatewayAuthenticationError extends GatewayError {
  static isInstance(): false {
    return false;
  }
}
