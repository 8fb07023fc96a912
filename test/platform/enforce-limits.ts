import { chainedStub } from "./call-chain.ts";
import { currentInvocation } from "./invocation.ts";
import {
  assertMessage,
  assertMessageBatch,
  assertObject,
  assertStatement,
  assertValue,
  assertWrite,
  isMessageTooLong,
} from "./value-limits.ts";

type Method = (this: unknown, ...args: never[]) => unknown;

interface Bindings {
  DB: D1Database;
  BUCKET: R2Bucket;
  TASKS: Queue;
  /** A namespace of objects. */
  HOST_THROTTLE: object;
}

/**
 * Makes the simulator's D1, R2, queues and `fetch` refuse and hold back what the platform does. The methods are shared by
 * all bindings of the runtime, so that this holds for the tests, the Worker and its objects.
 */
export function enforceLimits({ DB, BUCKET, TASKS, HOST_THROTTLE }: Bindings): void {
  const database = Object.getPrototypeOf(DB) as D1Database;
  const statement = Object.getPrototypeOf(DB.prepare("SELECT 1")) as D1PreparedStatement;
  const queries = new WeakMap<object, string>();
  before(database, "prepare", (query: string) => assertStatement(query, []));
  after(database, "prepare", (made: object, query: string) => queries.set(made, query));
  before(database, "batch", (statements: unknown[]) => currentInvocation()?.query(statements.length));
  before(database, "exec", (query: string) => assertStatement(query, []));
  before(statement, "bind", function (this: object, ...values: unknown[]) {
    assertStatement(queries.get(this) ?? "", values);
  });
  for (const name of ["run", "all", "first", "raw"] as const)
    before(statement, name, () => currentInvocation()?.query());

  const bucket = Object.getPrototypeOf(BUCKET) as R2Bucket;
  before(bucket, "put", (key: string, _: unknown, options?: R2PutOptions) => {
    assertObject(key, options?.customMetadata);
    assertWrite(key, Date.now());
  });
  for (const name of ["put", "get", "head", "list", "delete"] as const) connect(bucket, name);

  const queue = Object.getPrototypeOf(TASKS) as Queue;
  before(queue, "send", (body: unknown) => void assertMessage(body));
  before(queue, "sendBatch", (messages: Iterable<MessageSendRequest>) =>
    assertMessageBatch([...messages].map(({ body }) => body)),
  );
  for (const name of ["send", "sendBatch"] as const) connect(queue, name);
  connect(globalThis, "fetch");

  replace(WebSocket.prototype, "addEventListener", "listen", limitMessages);

  const namespace = Object.getPrototypeOf(HOST_THROTTLE) as object;
  for (const name of ["get", "getByName"]) chain(namespace, name);
}

/** Makes the storage of all objects refuse what the platform does; takes the storage of any object. */
export function enforceObjectLimits({ sql, kv }: DurableObjectStorage): void {
  before(Object.getPrototypeOf(sql) as SqlStorage, "exec", (query: string, ...values: unknown[]) =>
    assertStatement(query, values),
  );
  before(Object.getPrototypeOf(kv) as SyncKvStorage, "put", (key: string, value: unknown) => assertValue(key, value));
}

/** Makes a WebSocket end when it receives a message that is longer than the platform passes on. */
function limitMessages(method: Method): Method {
  return function (this: unknown, type: unknown, listener: unknown, ...rest: never[]) {
    const limited = (event: MessageEvent): void => {
      if (isMessageTooLong(event.data)) (this as WebSocket).close(1009, "Message is too long");
      else (listener as (event: MessageEvent) => void)(event);
    };
    return Reflect.apply(method, this, [type, type === "message" ? limited : listener, ...rest]);
  };
}

/** Runs a check before a method, which throws what the platform would. */
function before(target: object, name: string, check: (this: object, ...args: never[]) => void): void {
  replace(
    target,
    name,
    `before ${name}`,
    (method) =>
      function (this: unknown, ...args: never[]) {
        Reflect.apply(check, this, args);
        return Reflect.apply(method, this, args);
      },
  );
}

function after(target: object, name: string, note: (result: never, ...args: never[]) => void): void {
  replace(
    target,
    name,
    `after ${name}`,
    (method) =>
      function (this: unknown, ...args: never[]) {
        const result = Reflect.apply(method, this, args);
        note(result as never, ...args);
        return result;
      },
  );
}

/** Makes a method one of the six requests of its invocation that wait for response headers. */
function connect(target: object, name: string): void {
  replace(
    target,
    name,
    `connect ${name}`,
    (method) =>
      function (this: unknown, ...args: never[]) {
        const request = (): Promise<unknown> => Reflect.apply(method, this, args) as Promise<unknown>;
        return currentInvocation()?.connect(request) ?? request();
      },
  );
}

/** Makes the stubs that a namespace returns carry the depth of the chain of calls. */
function chain(target: object, name: string): void {
  replace(
    target,
    name,
    `chain ${name}`,
    (method) =>
      function (this: unknown, ...args: never[]) {
        return chainedStub(Reflect.apply(method, this, args) as object);
      },
  );
}

/** Replaces a method by the one that `wrap` makes of the platform's own, which is kept beside it. */
function replace(target: object, name: string, mark: string, wrap: (method: Method) => Method): void {
  // One runtime runs all test files: the latest file's checks replace the earlier ones.
  const original = Symbol.for(`platform's own ${mark}`);
  const method = (Reflect.get(target, original) ?? Reflect.get(target, name)) as Method;
  Object.defineProperty(target, original, { value: method, configurable: true });
  Object.defineProperty(target, name, { value: wrap(method), writable: true, configurable: true });
}
