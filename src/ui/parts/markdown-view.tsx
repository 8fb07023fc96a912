import { useEffect, useState } from "preact/hooks";
import { Loading } from "./notices.tsx";

/** Markdown of a page as people read it. It is foreign text: what comes out of it is cleaned before it is shown. */
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
  if (html.trim() === "") return <p class="faint">The page has no text.</p>;
  return <article class="prose" dangerouslySetInnerHTML={{ __html: html }} />;
}
