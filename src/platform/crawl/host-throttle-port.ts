import { AppError } from "../../core/errors.ts";
import type { HostThrottlePort } from "../../ports/crawl/host-throttle.ts";
import type { HostThrottle } from "./host-throttle.ts";

/** Calls each host's object; `host` is a host name in lower case, with its port if there is one. */
export function createHostThrottle(namespace: DurableObjectNamespace<HostThrottle>): HostThrottlePort {
  const ask = async <Result>(host: string, call: (stub: DurableObjectStub<HostThrottle>) => Promise<Result>) => {
    try {
      return await call(namespace.getByName(host));
    } catch (error) {
      throw new AppError("SERVICE_UNAVAILABLE", undefined, { cause: error, retryAfterSeconds: 1 });
    }
  };
  return {
    reserve: (host, count, options) => ask(host, (stub) => stub.reserve(host, count, options)),
    report: (host, outcome) => ask(host, (stub) => stub.report(host, outcome)),
  };
}
