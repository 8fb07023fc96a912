/** Search providers that asked to be left alone for a while. */
export interface ProviderPauses {
  /** Those whose pause is not over, with its end (ms since the epoch). */
  list(nowMs: number): Promise<ReadonlyMap<string, number>>;
  /** Also lengthens a pause; a shorter one changes nothing. */
  set(provider: string, untilMs: number): Promise<void>;
}
