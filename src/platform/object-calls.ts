import { AppError, isAppError } from "../core/errors.ts";
import { withinTime } from "../core/waits/within-time.ts";

/** Time in which an object answers, far beyond what one under load takes. */
export const ANSWER_LIMIT_MS = 60_000;

/** Calls the object with the given name; an `AppError` that it throws is passed on. */
type ObjectCall<Stub> = <Result>(name: string, ask: (stub: Stub) => Promise<Result>, tries?: number) => Promise<Result>;

/**
 * Creates a function that calls objects whose methods may run twice: a call that fails, or is not answered within
 * `ANSWER_LIMIT_MS`, is repeated, unless `tries` is 1.
 * @throws AppError SERVICE_UNAVAILABLE from the call when every try failed
 */
export function createObjectCalls<Stub>(namespace: { getByName(name: string): Stub }): ObjectCall<Stub> {
  const call: ObjectCall<Stub> = async (name, ask, tries = 2) => {
    try {
      // An exception breaks the stub that raised it, so every try gets a new stub.
      return await answered(ask(namespace.getByName(name)));
    } catch (error) {
      if (isAppError(error)) throw error;
      if (tries > 1) return await call(name, ask, tries - 1);
      throw new AppError("SERVICE_UNAVAILABLE", undefined, { cause: error, retryAfterSeconds: 1 });
    }
  };
  return call;
}

/** @throws Error when the answer of an object takes longer than `ANSWER_LIMIT_MS` */
export async function answered<Result>(call: Promise<Result>): Promise<Result> {
  return await withinTime(call, ANSWER_LIMIT_MS, () => {
    throw new Error("A Durable Object did not answer in time");
  });
}

/** The errors of a call of a method that an object has not: the platform's, and that of `MeasuredObject`. */
const NO_METHOD = /The RPC receiver does not implement|The object has no method/;

/** Calls a method, by its former name in an object that still runs the release before: updates of objects are deferred. */
export async function orFormerly<Result>(call: () => Promise<Result>, former: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!NO_METHOD.test(String(error))) throw error;
    return await former();
  }
}
