import type { Admission, AdmitRequest, CreditChange, KeyUsage, SlotRequest } from "../core/key-gate.ts";

export type { Admission, AdmitRequest, CreditChange, KeyUsage, RateStanding, SlotRequest } from "../core/key-gate.ts";

/** The counters of one key: exact, in one place. */
export interface KeyGatePort {
  admit(keyId: string, request: AdmitRequest): Promise<Admission>;
  /**
   * Corrects the credits that a request took: negative gives back, positive takes more.
   * @returns false when more was asked for than is left; then nothing is taken.
   */
  adjustCredits(keyId: string, change: CreditChange): Promise<boolean>;
  /** Takes one of `limit` job slots until it is released or its time is over. Taking the same job's slot twice is one slot. */
  takeSlot(keyId: string, slot: SlotRequest): Promise<boolean>;
  releaseSlot(keyId: string, jobId: string): Promise<void>;
  usage(keyId: string): Promise<KeyUsage>;
}
