import { currentInvocation, Invocation, runAs } from "./invocation.ts";

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** The last argument of a call while it is on its way: the depth of the invocation that it starts. */
const DEPTH = "platform-chain-depth";
/** Members of a stub that are no methods of its object. */
const OWN_MEMBERS = new Set(["fetch", "connect", "dup", "then", "constructor", "id", "name"]);

/** The deepest chain since the last reset. One for the runtime. */
const shared = globalThis as { deepestChain?: number };

/** Returns the deepest chain of calls since the last call of this function. */
export function takeDeepestChain(): number {
  const depth = shared.deepestChain ?? 0;
  shared.deepestChain = 0;
  return depth;
}

/**
 * Returns a stub whose calls carry the depth of their chain; outside of an invocation the stub itself, which the helpers
 * of tests need. @throws Error from a call that makes the chain too long
 */
export function chainedStub<Stub extends object>(stub: Stub): Stub {
  if (currentInvocation() === undefined) return stub;
  return new Proxy(stub, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function" || name === "constructor") return member;
      const isRemote = typeof name === "string" && !OWN_MEMBERS.has(name);
      return (...args: unknown[]) =>
        Reflect.apply(member as Method, target, isRemote ? [...args, { [DEPTH]: nextDepth() }] : args);
    },
  });
}

/** Makes each method of a class run as an invocation of its own, in the chain of its caller. */
export function chainMethods(instance: object): void {
  for (
    let type = Object.getPrototypeOf(instance) as object | null;
    type !== null;
    type = Object.getPrototypeOf(type) as object | null
  ) {
    const { constructor } = type;
    // The platform's own base classes have no methods of objects.
    if (/^(?:DurableObject|WorkerEntrypoint|Object)$/.test(constructor.name)) return;
    for (const name of Object.getOwnPropertyNames(type)) wrapMethod(type, name);
  }
}

const wrapped = Symbol.for("platform chain");

function wrapMethod(type: object, name: string): void {
  const descriptor = Object.getOwnPropertyDescriptor(type, name);
  const method: unknown = descriptor?.value;
  if (name === "constructor" || typeof method !== "function" || wrapped in method) return;
  const chained: Method = function (...args) {
    const called = depthOf(args.at(-1));
    // Without a depth it is a call within the object, or the platform's own: of an alarm, a request or a message.
    if (called === undefined && currentInvocation() !== undefined) return Reflect.apply(method as Method, this, args);
    const depth = called ?? 1;
    shared.deepestChain = Math.max(shared.deepestChain ?? 0, depth);
    chainExports(this);
    const own = called === undefined ? args : args.slice(0, -1);
    return runAs(new Invocation(depth), () => Reflect.apply(method as Method, this, own));
  };
  Object.defineProperty(chained, wrapped, { value: true });
  Object.defineProperty(type, name, { ...descriptor, value: chained });
}

/** Makes an object's calls to the Worker's own entry points carry the depth of their chain. */
function chainExports(instance: unknown): void {
  const { ctx } = Object(instance) as { ctx?: { exports?: Record<string, unknown> } };
  if (ctx?.exports === undefined || wrapped in ctx) return;
  const { exports } = ctx;
  const chained = new Proxy(exports, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      return name === "JobRuns" ? chainedStub(member as object) : member;
    },
  });
  Object.defineProperty(ctx, "exports", { value: chained, configurable: true });
  Object.defineProperty(ctx, wrapped, { value: true });
}

function nextDepth(): number {
  return currentInvocation()?.nextDepth() ?? 1;
}

function depthOf(value: unknown): number | undefined {
  const depth: unknown = value === null || typeof value !== "object" ? undefined : Reflect.get(value, DEPTH);
  return typeof depth === "number" ? depth : undefined;
}
