/**
 * An address on the cloud metadata host, which a guarded service must never ask. The path is invented: where the guard
 * fails on a machine that does have such a host, the test still asks it for nothing real.
 */
export const LINK_LOCAL_PROBE = "http://169.254.169.254/harrow-bay-probe";
