import type { Meter } from "../../core/account/meter.ts";
import type { CheckAlarms } from "../../ports/monitors.ts";
import type { CheckAlarm } from "./check-alarm.ts";
import { createObjectCalls } from "../object-calls.ts";

/** Calls the alarm of each check. */
export function createCheckAlarms(namespace: DurableObjectNamespace<CheckAlarm>, meter: Meter): CheckAlarms {
  const call = createObjectCalls(namespace, meter);
  return {
    watch(checkId) {
      meter.add("durableObjectRowsWritten", 2);
      return call(checkId, (stub) => stub.watch());
    },
    forget: (checkId) => call(checkId, (stub) => stub.forget()),
  };
}
