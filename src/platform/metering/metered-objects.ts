import type { Meter } from "../../core/account/meter.ts";
import type { Measured } from "./measured-object.ts";
import { overriding } from "./overriding.ts";

/** The part of a namespace that the service uses. */
export interface Objects {
  getByName(name: string, options?: { locationHint?: DurableObjectLocationHint }): object;
}

type Method = (...args: unknown[]) => unknown;

/** Returns the namespace with a meter, which counts each call to an object when it starts. */
export function meteredObjects<Namespace extends Objects>(namespace: Namespace, meter: Meter): Namespace {
  return withStubs(namespace, (stub, name) => (...args) => {
    meter.add("durableObjectRequests");
    return methodOf(stub, name)(...args);
  });
}

/** Like `meteredObjects`; it also counts the rows that an object, which must be a `MeasuredObject`, has written. */
export function measuredObjects<Namespace extends Objects>(namespace: Namespace, meter: Meter): Namespace {
  return withStubs(namespace, (stub, name) => async (...args) => {
    meter.add("durableObjectRequests");
    // Only objects of this class are in such a namespace; its methods are called by name.
    const { value, rowsWritten } = (await methodOf(stub, "measured")(name, args)) as Measured;
    meter.add("durableObjectRowsWritten", rowsWritten);
    return value;
  });
}

function withStubs<Namespace extends Objects>(
  namespace: Namespace,
  call: (stub: object, name: string) => Method,
): Namespace {
  const members: Partial<Objects> = {
    getByName: (objectName, options) => {
      const stub = namespace.getByName(objectName, options);
      return new Proxy(stub, {
        get: (_, name) => {
          const member: unknown = Reflect.get(stub, name);
          return typeof name === "string" && typeof member === "function" ? call(stub, name) : member;
        },
      });
    },
  };
  // The members are those of the namespace's own interface.
  return overriding<Namespace>(namespace, members as Partial<Namespace>);
}

/** Returns a method of a stub, which runs on the stub itself. A stub's methods have no `apply`: it would be a remote call. */
function methodOf(stub: object, name: string): Method {
  return (...args) => Reflect.apply(Reflect.get(stub, name) as Method, stub, args);
}
