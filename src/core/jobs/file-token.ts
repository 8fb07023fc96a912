const TOKEN = /^\d{4}-\d{2}-\d{2}-(?:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-)?[0-9a-f]{64}$/;

/** Reports whether a text can be the name of a file: a day, the ID of its job if it has one, and a hash. */
export function isFileToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Returns the ID of the job that the name of a file has; undefined for files of other work. */
export function jobOfFile(token: string): string | undefined {
  return TOKEN.exec(token)?.[1];
}
