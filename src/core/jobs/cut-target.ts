import { hash53 } from "../text/hash.ts";
import { cutUtf8, utf8Length } from "../text/utf8.ts";

/** Maximum size of the target in a record, in bytes of UTF-8. */
const MAX_TARGET_BYTES = 2_048;
const HASH_CHARS = 11;
const MARK = "…";
const CUT = new RegExp(`${MARK}[0-9a-z]{${HASH_CHARS}}$`);

/** Returns the target of a job in at most 2,048 bytes: of a longer one, its beginning and a hash, so that cut ones differ. */
export function cutTarget(target: string): string {
  if (utf8Length(target) <= MAX_TARGET_BYTES) return target;
  const end = `${MARK}${hash53(target).toString(36).padStart(HASH_CHARS, "0")}`;
  return `${cutUtf8(target, MAX_TARGET_BYTES - utf8Length(end))}${end}`;
}

/** Reports whether the target of a record is the beginning of a longer one. */
export function isCutTarget(target: string): boolean {
  return CUT.test(target) && utf8Length(target) > MAX_TARGET_BYTES - 4;
}
