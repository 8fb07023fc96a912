import { AppError } from "../../core/errors.ts";
import type { Meter } from "../../core/account/meter.ts";
import type { HostGatePort } from "../../ports/crawl/host-gate.ts";
import type { HostGate } from "./host-gate.ts";

/** Reaches each host's object, which `host` names: a host name in lower case, with its port where it has one. */
export function createHostGate(namespace: DurableObjectNamespace<HostGate>, meter: Meter): HostGatePort {
  const ask = async <Result>(host: string, call: (stub: DurableObjectStub<HostGate>) => Promise<Result>) => {
    meter.add("durableObjectRequests");
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
