import * as functions from "./index.ts";
import type { PageFunctions } from "./page-functions.ts";

/** Compiles only if `index.ts` exports every function of `PageFunctions`, and no other, with its signature. */
export const checkedFunctions: PageFunctions & Record<Exclude<keyof typeof functions, keyof PageFunctions>, never> =
  functions;
