import type { Protocol } from "devtools-protocol";
import type { PageFunction } from "../../../page-scripts/page-functions.ts";

/** An object of the page as an argument of a function. */
export class PageObjectId {
  readonly objectId: string;

  constructor(objectId: string) {
    this.objectId = objectId;
  }
}

/** Returns the parameters of `Runtime.callFunctionOn` that name a function and its arguments. */
export function callOf<V extends readonly unknown[]>(
  called: PageFunction<V, unknown>,
  values: V,
): Pick<Protocol.Runtime.CallFunctionOnRequest, "functionDeclaration" | "arguments"> {
  return {
    functionDeclaration: called,
    arguments: values.map((value) => (value instanceof PageObjectId ? { objectId: value.objectId } : { value })),
  };
}

/**
 * Returns an expression that calls a function, where the protocol has no place for arguments: in scripts for new
 * documents, and in worlds whose ids are not known.
 */
export function callExpression<V extends readonly unknown[]>(called: PageFunction<V, unknown>, ...values: V): string {
  return `(${called})(${values.map((value) => JSON.stringify(value)).join(", ")})`;
}
