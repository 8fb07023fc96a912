const KNOWN_MODELS = ["spark-1-pro", "spark-1-mini"];

/** First versions of the clients that take every name of a model; earlier ones refuse a response with any other. */
const FIRST_TOLERANT = new Map([
  ["python-sdk", [4, 37, 1]],
  ["rust-sdk", [2, 15, 0]],
]);

/**
 * Returns the name of the model that a run's status shows: `spark-1-pro` for old clients that know two names only, or a
 * client of theirs whose version cannot be read.
 * @param origin the caller of the run, such as `python-sdk@4.30.0`
 */
export function shownModel(model: string, origin = ""): string {
  const [client = "", ...rest] = origin.split("@");
  const tolerant = FIRST_TOLERANT.get(client);
  if (tolerant === undefined || KNOWN_MODELS.includes(model)) return model;
  const version = /^(\d+)\.(\d+)\.(\d+)$/.exec(rest.join("@"))?.slice(1).map(Number);
  return version !== undefined && isAtLeast(version, tolerant) ? model : "spark-1-pro";
}

function isAtLeast(version: readonly number[], least: readonly number[]): boolean {
  const place = least.findIndex((part, index) => version[index] !== part);
  return place < 0 || (version[place] ?? 0) > (least[place] ?? 0);
}
