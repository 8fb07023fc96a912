/** Returns the time in a UUID of version 7 (RFC 9562 § 5.7), in ms since the epoch; undefined for other text. */
export function uuidTimeMs(id: string): number | undefined {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)) return undefined;
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
