import type { Operation } from "../../api/openapi.ts";
import { readStored, writeStored } from "../../parts/browser-storage.ts";
import { sampleUrl } from "../../api/sample.ts";
import { startingBody } from "./operations.ts";
import type { PlaygroundRequest } from "./request.ts";

const NAME = "drafts";

/** Returns the stored draft of this tab for an endpoint; otherwise a request that works without changes. */
export function draftOf(operation: Operation, id: string | null): PlaygroundRequest {
  const kept = readStored<Record<string, PlaygroundRequest | undefined>>(NAME, {}, sessionStorage)[operation.id];
  const draft = kept ?? { operation: operation.id, parameters: {}, body: beginning(operation) };
  return id === null ? draft : { ...draft, parameters: { ...draft.parameters, id } };
}

export function keepDraft(request: PlaygroundRequest): void {
  const drafts = readStored<Record<string, PlaygroundRequest>>(NAME, {}, sessionStorage);
  const body = Object.fromEntries(Object.entries(request.body).filter(([, value]) => !(value instanceof Blob)));
  writeStored(NAME, { ...drafts, [request.operation]: { ...request, body } }, sessionStorage);
}

function beginning(operation: Operation): Record<string, unknown> {
  const takesUrl = operation.body?.schema.properties?.["url"] !== undefined;
  return { ...(takesUrl ? { url: sampleUrl() } : {}), ...startingBody(operation) };
}
