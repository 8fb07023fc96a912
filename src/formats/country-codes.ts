/** Codes of ISO 3166-1 that are left to their users: they name no country. Kosovo's XK is in general use. */
const USER_ASSIGNED = /^(?:AA|Q[M-Z]|X[A-JL-Z]|ZZ)$/;

let names: Intl.DisplayNames | undefined;

/**
 * Reports whether a code of two letters, in any case, names a country or a territory. Longer codes, which are names of
 * regions of this interface (`us-generic`), are taken as they are.
 */
export function isCountry(code: string): boolean {
  if (code.length !== 2) return true;
  const upper = code.toUpperCase();
  // Made when it is first needed: it loads the names of all regions.
  names ??= new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  return !USER_ASSIGNED.test(upper) && names.of(upper) !== undefined;
}
