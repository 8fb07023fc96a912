const SOMETHING = /\S/;

/** Reports whether a text is more than white space. Most texts begin with a visible character. */
export function hasText(text: string): boolean {
  const code = text.charCodeAt(0);
  return (code > 32 && code < 127) || SOMETHING.test(text);
}
