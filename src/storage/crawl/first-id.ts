/** Returns the smallest UUID of version 7 for a time (RFC 9562 § 5.7); its first 48 bits are the time. */
export function firstIdOf(ms: number): string {
  const time = ms.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}
