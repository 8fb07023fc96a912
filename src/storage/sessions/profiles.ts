import { readStored } from "../../core/stored-state.ts";
import { AppError } from "../../core/errors.ts";
import { sha256Hex } from "../../core/text/hash.ts";
import { ProfileState } from "../../core/sessions/profile.ts";
import { seal, unseal } from "../../core/text/seal.ts";
import type { Blobs } from "../../ports/storage/blobs.ts";
import type { ProfileName, ProfileStore } from "../../ports/sessions/profiles.ts";

interface ProfileParts {
  db: D1Database;
  blobs: Blobs;
  /** 32 bytes in hexadecimal. */
  keyHex: string;
}

/** Creates the profile store: claims are stored in D1, encrypted contents in R2. */
export function createProfileStore({ db, blobs, keyHex }: ProfileParts): ProfileStore {
  return {
    async claim({ teamId, name }, { sessionId, untilMs, nowMs }) {
      const { meta } = await db
        .prepare(
          `INSERT INTO browser_profiles (team_id, name, writer_session_id, writer_until_ms) VALUES (?1, ?2, ?3, ?4)
           ON CONFLICT (team_id, name) DO UPDATE SET writer_session_id = ?3, writer_until_ms = ?4
           WHERE writer_session_id IS NULL OR writer_session_id = ?3 OR writer_until_ms <= ?5`,
        )
        .bind(teamId, name, sessionId, untilMs, nowMs)
        .run();
      if (meta.changes > 0) return undefined;
      const row = await db
        .withSession("first-primary")
        .prepare("SELECT writer_session_id FROM browser_profiles WHERE team_id = ? AND name = ?")
        .bind(teamId, name)
        .first<{ writer_session_id: string | null }>();
      return { heldBy: row?.writer_session_id ?? "" };
    },

    async release({ teamId, name }, sessionId) {
      await db
        .prepare(
          `UPDATE browser_profiles SET writer_session_id = NULL, writer_until_ms = 0
           WHERE team_id = ? AND name = ? AND writer_session_id = ?`,
        )
        .bind(teamId, name, sessionId)
        .run();
    },

    async read(profile) {
      const blob = await blobs.get(await keyOf(profile));
      if (blob === undefined) return undefined;
      const plain = await unseal(keyHex, blob.bytes, contextOf(profile));
      if (plain === undefined) throw new AppError("PROFILE_UNREADABLE");
      return readStored(ProfileState, new TextDecoder().decode(plain), "browser profile");
    },

    async write(profile, { sessionId, state, nowMs }) {
      const { meta } = await db
        .prepare("UPDATE browser_profiles SET saved_at_ms = ? WHERE team_id = ? AND name = ? AND writer_session_id = ?")
        .bind(nowMs, profile.teamId, profile.name, sessionId)
        .run();
      if (meta.changes === 0) return false;
      const plain = new TextEncoder().encode(JSON.stringify(state));
      await blobs.put(await keyOf(profile), await seal(keyHex, plain, contextOf(profile)));
      return true;
    },

    async purge(nowMs, limit) {
      const ended =
        "SELECT team_id, name FROM browser_profiles WHERE saved_at_ms IS NULL AND writer_until_ms <= ? LIMIT ?";
      const { meta } = await db
        .prepare(`DELETE FROM browser_profiles WHERE (team_id, name) IN (${ended})`)
        .bind(nowMs, limit)
        .run();
      return meta.changes;
    },
  };
}

/** Hashes the profile's name, which is the team's own text and must not appear in a visible key. */
async function keyOf(profile: ProfileName): Promise<string> {
  return `profiles/${profile.teamId}/${await sha256Hex(contextOf(profile))}`;
}

function contextOf({ teamId, name }: ProfileName): string {
  return JSON.stringify(["profile", teamId, name]);
}
