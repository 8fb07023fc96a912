import { useMemo } from "preact/hooks";
import { CopyButton } from "../copy-button.tsx";
import { DownloadButton } from "../download/download-button.tsx";
import { cutText } from "./cut-text.ts";

/** Characters of a part of a long text. The browser lays out only the parts in view. */
const PIECE = 16_000;
/** Characters in a line of the block, to estimate the height of a part. */
const LINE = 90;
const LINE_HEIGHT_EM = 1.5;

interface CodeProps {
  text: string;
  label: string;
  /** Name of the file to save the text as; without it there is no download. */
  file?: string | undefined;
  /** Media type of the file. */
  type?: string;
}

/** Plain text of any length, to copy and to download. */
export function CodeBlock({ text, label, file, type = "text/plain" }: CodeProps) {
  const pieces = useMemo(() => cutText(text, PIECE), [text]);
  return (
    <div class="code-block">
      <div class="code-tools">
        <CopyButton text={text} />
        {file !== undefined && <DownloadButton content={text} file={file} type={type} />}
      </div>
      <pre dir={type === "text/markdown" ? "auto" : undefined} tabIndex={0} role="region" aria-label={label}>
        {pieces.length <= 1
          ? text
          : pieces.map((piece, at) => (
              <span key={at} class="code-piece" style={{ containIntrinsicBlockSize: `auto ${heightOf(piece)}em` }}>
                {piece}
              </span>
            ))}
      </pre>
    </div>
  );
}

function heightOf(text: string): number {
  const lines = text.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LINE)), 0);
  return Math.round(lines * LINE_HEIGHT_EM);
}
