/** Stands for a value that may be a secret, where others than its owner read it. */
export const HIDDEN = "(hidden)";
