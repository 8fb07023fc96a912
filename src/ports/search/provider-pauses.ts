/** Search providers that are paused after a refusal. */
export interface ProviderPauses {
  /** Returns paused providers with the end of each pause (ms since the epoch). */
  list(nowMs: number): Promise<ReadonlyMap<string, number>>;
  /** Starts or extends a pause; an earlier end has no effect. */
  set(provider: string, untilMs: number): Promise<void>;
}
