/** Returns the id of the ledger that counts a key's browser sessions, separate from that of its jobs. */
export function sessionSlots(keyId: string): string {
  return `${keyId}:browser`;
}
