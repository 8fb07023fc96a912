/** One external dependency of the service, with a cheap check that it responds. */
export interface Probe {
  name: string;
  /** True when the service cannot work without the dependency. */
  isRequired: boolean;
  /** Rejects when the dependency does not respond correctly. A string that it resolves to is a warning to the operator. */
  run(): Promise<unknown>;
}

export interface ReadinessReport {
  /** `degraded`: only dependencies that are not required have failed. */
  status: "ready" | "degraded" | "unavailable";
  checks: Record<string, "ok" | "failed">;
  /** Names the next failure to expect, and its remedy. */
  warning?: string;
}

export interface Readiness {
  check(): Promise<ReadinessReport>;
}
