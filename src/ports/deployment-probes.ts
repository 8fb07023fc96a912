/** The place that answered a read of the database, as far as the platform states it. */
export interface DatabasePlace {
  /** Region, such as `WEUR`. */
  region: string | undefined;
  /** False when a replica answered. */
  isPrimary: boolean | undefined;
}

/** Calls of bindings that a check of the deployment measures. They reject when the binding does not respond. */
export interface DeploymentProbes {
  /** Reads from the database, or from a replica of it. */
  readDatabase(): Promise<DatabasePlace>;
  /** Calls a Durable Object. */
  callObject(): Promise<void>;
}
