/** Source of the current time; tests pass a fixed one. */
export interface Clock {
  /** Ms since the epoch. */
  now(): number;
}

/** Resolves host names, so that a name with a private address is refused before a connection is opened. */
export interface Resolver {
  /**
   * Returns the addresses (IPv4 and IPv6, textual) of a host name.
   * `not_found` when the name does not exist; `unknown` when resolution is not possible here.
   */
  resolve(hostname: string): Promise<Resolution>;
}

export type Resolution =
  | { kind: "addresses"; addresses: string[] }
  | { kind: "not_found" }
  | { kind: "unknown"; reason: string };
