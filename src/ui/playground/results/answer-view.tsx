import { MarkdownView } from "../../parts/document/markdown-view.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { DownloadButton } from "../../parts/download/download-button.tsx";
import { requestLink } from "../request/request-link.ts";
import type { AnswerResult, Evidence, Source } from "./result-shapes.ts";

/** An answer as text with numbered sources and the passages that state its values. */
export function AnswerView({ answer, threadId }: { answer: AnswerResult; threadId: string | undefined }) {
  const { text, sources, evidence, suggestions } = answer;
  return (
    <div class="stack">
      <div class="result-tools">
        <CopyButton text={text} />
        <DownloadButton content={text} file="answer.md" type="text/markdown" />
      </div>
      <MarkdownView markdown={text} sources={sources.map(({ url }) => url)} />
      {sources.length > 0 && <Sources sources={sources} />}
      {evidence.length > 0 && <Stated evidence={evidence} />}
      {suggestions.length > 0 && threadId !== undefined && (
        <section aria-label="Follow-up questions">
          <h3>Follow-up questions</h3>
          <ul>
            {suggestions.map((prompt) => (
              <li key={prompt}>
                <a dir="auto" href={requestLink({ operation: "post /v2/agent", body: { prompt, threadId } })}>
                  {prompt}
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Sources({ sources }: { sources: readonly Source[] }) {
  return (
    <section aria-label="Sources">
      <h3>Sources</h3>
      <ol class="sources">
        {sources.map(({ url, title, description }, at) => (
          <li key={at}>
            <a href={url} target="_blank" rel="noopener noreferrer nofollow" class="breaking" dir="auto">
              {title ?? url}
            </a>
            {title !== undefined && <span class="faint breaking"> {url}</span>}
            {description !== undefined && (
              <p dir="auto" class="faint">
                {description}
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Stated({ evidence }: { evidence: readonly Evidence[] }) {
  return (
    <section aria-label="Evidence">
      <h3>Evidence</h3>
      <ul class="evidence-list">
        {evidence.map(({ field, value, quote, url, unverified }, at) => (
          <li key={at}>
            <p>
              <strong dir="auto">{value ?? field}</strong>{" "}
              {unverified === true && <span class="chip-status warn">unverified</span>}
            </p>
            {quote !== undefined && <blockquote dir="auto">{quote}</blockquote>}
            <p class="faint breaking">{url}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
