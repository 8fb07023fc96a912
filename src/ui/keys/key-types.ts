/** A key as the service lists it (`Key` in the OpenAPI document), without the secret. */
export interface KeyInfo {
  id: string;
  teamId: string;
  name: string;
  prefix: string;
  scopes: { admin: boolean; endpoints?: string[]; formats?: string[] };
  limits: Record<string, number>;
  monthlyCredits: number | null;
  maxConcurrency: number | null;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
}

export type CreatedKey = KeyInfo & { key: string };

export type KeyState = "active" | "expired" | "revoked";

export function stateOf({ revokedAt, expiresAt }: KeyInfo, nowMs = Date.now()): KeyState {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && Date.parse(expiresAt) <= nowMs ? "expired" : "active";
}
