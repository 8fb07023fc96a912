/** The token may read private repositories, and everyone with a key may search: every search names this qualifier. */
export const PUBLIC_ONLY = "is:public";

/**
 * Returns words for GitHub's search without what it would read as a qualifier, such as `repo:` or `is:private`, a group or an
 * operator: with `OR`, a search would have a part that is not restricted to public repositories.
 */
export function wordsOnly(text: string): string {
  return text
    .replaceAll(/[:"()\s]+/g, " ")
    .replaceAll(/(?<!\S)(?:AND|OR|NOT)(?!\S)/g, (operator) => operator.toLowerCase())
    .trim();
}
