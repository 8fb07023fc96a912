/** One thing outside that the service works with, and a cheap way to find out whether it answers. */
export interface Probe {
  name: string;
  /** Whether the service is of no use without it. */
  isRequired: boolean;
  /** Rejects when it does not answer as it should. */
  run(): Promise<unknown>;
}

export interface ReadinessReport {
  /** `degraded`: what is missing is missed by some requests only. */
  status: "ready" | "degraded" | "unavailable";
  checks: Record<string, "ok" | "failed">;
}

export interface Readiness {
  check(): Promise<ReadinessReport>;
}
