import { CopyButton } from "./copy-button.tsx";

/** Beyond this the browser is slow to lay the text out; copying still copies all of it. */
const MAX_SHOWN = 400_000;

/** Text as it is, with a way to copy it. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  const isCut = text.length > MAX_SHOWN;
  return (
    <div class="code-block">
      <div class="code-tools">
        <CopyButton text={text} />
      </div>
      <pre tabIndex={0} role="region" aria-label={label}>
        {isCut ? text.slice(0, MAX_SHOWN) : text}
      </pre>
      {isCut && <p class="faint">The first {MAX_SHOWN.toLocaleString("en")} characters are shown.</p>}
    </div>
  );
}
