/** The gate that counts a key's browser sessions: apart from that of its jobs, since a session is no job. */
export function sessionSlots(keyId: string): string {
  return `${keyId}:browser`;
}
