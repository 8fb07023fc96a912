/** Warnings of the responses that created this tab's sessions, by the ID of the session: no later response has them. */
export const openWarnings = new Map<string, string>();
