/** A text with its passages in backticks as code, as in the descriptions of the API. */
export function WithCode({ text }: { text: string }) {
  return <>{text.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}
