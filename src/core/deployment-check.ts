/**
 * States of a check: it found what the service needs, something that an operator should know, a fault, or it could not
 * be made in this deployment.
 */
export const CHECK_STATES = ["ok", "warning", "failed", "skipped"] as const;

/** The result of one check of a deployment. */
export interface DeploymentCheck {
  name: string;
  state: (typeof CHECK_STATES)[number];
  /** The finding, as one sentence for the operator. */
  detail: string;
  ms: number;
}
