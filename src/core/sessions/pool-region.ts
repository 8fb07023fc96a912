/** Place of a client, as the platform reports it with a request. */
export interface ClientPlace {
  /** Two letters, such as `EU`. */
  continent?: unknown;
  /** Degrees as text, positive to the east. */
  longitude?: unknown;
}

/** Regions that objects can be placed in (location hints of the platform). */
export type PoolRegion = "wnam" | "enam" | "sam" | "weur" | "eeur" | "apac" | "oc" | "afr" | "me";

const CONTINENTS: Readonly<Record<string, PoolRegion>> = {
  AF: "afr",
  AN: "oc",
  AS: "apac",
  EU: "weur",
  NA: "enam",
  OC: "oc",
  SA: "sam",
};
/** North America is divided at the hundredth meridian, Europe at the longitude of Warsaw, and Asia at that of Karachi. */
const WEST_OF_AMERICA = -100;
const EAST_OF_EUROPE = 21;
const WEST_OF_ASIA = 67;

/** Returns the region whose browsers are near a client; undefined for an unknown place, and for work without a client. */
export function regionOf({ continent, longitude }: ClientPlace): PoolRegion | undefined {
  const region = typeof continent === "string" ? CONTINENTS[continent] : undefined;
  const degrees = typeof longitude === "string" ? Number.parseFloat(longitude) : Number.NaN;
  if (region === "enam" && degrees < WEST_OF_AMERICA) return "wnam";
  if (region === "weur" && degrees > EAST_OF_EUROPE) return "eeur";
  if (region === "apac" && degrees < WEST_OF_ASIA) return "me";
  return region;
}
