import { useEffect, useState } from "preact/hooks";
import { Loading } from "../notices.tsx";

/** Renders a page's Markdown. It is untrusted, so the resulting HTML is sanitized. */
export function MarkdownView({ markdown }: { markdown: string }) {
  const [html, setHtml] = useState<string>();
  useEffect(() => {
    let isWanted = true;
    void import("./render-markdown.ts").then(({ renderMarkdown }) => {
      if (isWanted) setHtml(renderMarkdown(markdown));
    });
    return () => {
      isWanted = false;
    };
  }, [markdown]);
  if (html === undefined) return <Loading what="the page" />;
  if (html.trim() === "") return <p class="faint">This page has no text.</p>;
  return <article class="prose" dangerouslySetInnerHTML={{ __html: html }} />;
}
