import { AppError, isAppError } from "../core/errors.ts";
import type { Meter } from "../core/account/meter.ts";

/** Asks the object of a name; what it refuses with an error of the table is passed on. */
type ObjectCall<Stub> = <Result>(name: string, ask: (stub: Stub) => Promise<Result>, tries?: number) => Promise<Result>;

/**
 * Calls to objects that bear being made twice: one that was lost on the way is made again, unless `tries` is 1.
 * @throws AppError SERVICE_UNAVAILABLE from the call, when no try came through
 */
export function createObjectCalls<Stub>(namespace: { getByName(name: string): Stub }, meter: Meter): ObjectCall<Stub> {
  const call: ObjectCall<Stub> = async (name, ask, tries = 2) => {
    meter.add("durableObjectRequests");
    try {
      // An exception breaks the stub that it came through, so every try gets its own.
      return await ask(namespace.getByName(name));
    } catch (error) {
      if (isAppError(error)) throw error;
      if (tries > 1) return await call(name, ask, tries - 1);
      throw new AppError("SERVICE_UNAVAILABLE", undefined, { cause: error, retryAfterSeconds: 1 });
    }
  };
  return call;
}
