import { useEffect, useMemo, useRef } from "preact/hooks";
import { useLoaded } from "../../api/use-loaded.ts";
import { ErrorNotice, Loading } from "../notices.tsx";
import { cutMarkdown } from "./cut-text.ts";
import type { Piece } from "./cut-text.ts";
import { markPiece, pieceAt } from "./mark-text.ts";
import type { TextMark } from "./mark-text.ts";
import { usePieces } from "./piecewise.ts";

/** Characters of a part of a long text, rendered in some 10 ms. */
const PIECE = 16_000;
/** Characters of the first part, which fill a window. */
const FIRST_PIECE = 4_000;
const PIECES_AT_ONCE = 1;

type Render = (markdown: string, options?: { sources?: readonly string[] }) => string;

let loaded: Render | undefined;

/** Loads the renderer, which is a script of its own. Called before it is needed, it saves that time later. */
export async function loadRender(): Promise<Render> {
  ({ renderMarkdown: loaded } = await import("./render-markdown.ts"));
  return loaded;
}

interface MarkdownProps {
  markdown: string;
  /** URLs that `[1]`, `[2]` … in the text stand for. */
  sources?: readonly string[];
  /** Passages to highlight. */
  marks?: readonly TextMark[];
  /** The passage that is scrolled into view. */
  selected?: TextMark | undefined;
}

/** Renders a page's Markdown of any length, part by part. It is untrusted, so the resulting HTML is sanitized. */
export function MarkdownView({ markdown, sources, marks = NONE, selected }: MarkdownProps) {
  const { value, error, reload } = useLoaded(loadRender, []);
  const render = loaded ?? value;
  const pieces = useMemo(() => cutMarkdown(markdown, PIECE, FIRST_PIECE), [markdown]);
  const shown = usePieces(pieces.length, {
    atOnce: PIECES_AT_ONCE,
    isPaused: render === undefined,
    wanted: selected === undefined ? undefined : pieceAt(pieces, selected.start),
  });
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (selected !== undefined) showMark(place.current, selected);
  }, [selected, shown, render]);
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (render === undefined) return <Loading what="the page" />;
  if (markdown.trim() === "") return <p class="faint">This page has no text.</p>;
  return (
    <article class="prose" ref={place}>
      {pieces.map((piece, at) => (
        <PieceView key={at} piece={piece} isShown={shown.has(at)} render={render} marks={marks} sources={sources} />
      ))}
    </article>
  );
}

const NONE: readonly TextMark[] = [];

interface PieceProps extends Pick<MarkdownProps, "sources"> {
  piece: Piece;
  isShown: boolean;
  render: Render;
  marks: readonly TextMark[];
}

/** One part of the text. Its place is reserved until it is rendered. */
function PieceView({ piece, isShown, render, marks, sources }: PieceProps) {
  const html = useMemo(
    () => (isShown ? render(markPiece(piece, marks), sources === undefined ? {} : { sources }) : ""),
    [piece, isShown, render, marks, sources],
  );
  return <div class="prose-piece" dangerouslySetInnerHTML={{ __html: html }} />;
}

/** Emphasizes the selected mark and scrolls its box, not the page, to it. */
function showMark(place: HTMLElement | null, { id }: TextMark): void {
  if (place === null) return;
  for (const mark of place.querySelectorAll("mark.selected")) mark.classList.remove("selected");
  const found = [...place.querySelectorAll<HTMLElement>("mark")].filter(
    ({ dataset }) => dataset["mark"] === String(id),
  );
  for (const mark of found) mark.classList.add("selected");
  const box = place.closest<HTMLElement>(".scroll-box");
  const [first] = found;
  if (first === undefined || box === null) return;
  const offset = first.getBoundingClientRect().top - box.getBoundingClientRect().top;
  box.scrollTo({ top: box.scrollTop + offset - box.clientHeight / 3 });
}
