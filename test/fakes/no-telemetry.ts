import type { Telemetry } from "../../src/ports/telemetry.ts";

/** Telemetry that counts nothing. */
export function noTelemetry(): Telemetry {
  return { count: () => {}, observe: () => {}, span: (_name, work) => work(), read: async () => "" };
}
