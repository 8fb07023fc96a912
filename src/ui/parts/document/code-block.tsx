import { CopyButton } from "../copy-button.tsx";

/** Characters to show at most, because layout of longer text is slow. Copying copies all of it. */
const MAX_SHOWN = 400_000;

/** Plain text with a copy button. */
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
      {isCut && <p class="faint">Showing the first {MAX_SHOWN.toLocaleString("en")} characters.</p>}
    </div>
  );
}
