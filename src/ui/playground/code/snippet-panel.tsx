import { useState } from "preact/hooks";
import type { Operation } from "../../api/openapi.ts";
import { CodeBlock } from "../../parts/document/code-block.tsx";
import { readStored, writeStored } from "../../parts/browser-storage.ts";
import type { PlaygroundRequest } from "../request/request.ts";
import { languagesOf, snippetOf } from "./snippets.ts";
import type { Language } from "./snippets.ts";

/** The request as code in the selected language. */
export function SnippetPanel({ operation, request }: { operation: Operation; request: PlaygroundRequest }) {
  const [wanted, setLanguage] = useState<Language>(() => readStored<Language>("language", "curl"));
  const languages = languagesOf(operation);
  const language = languages.includes(wanted) ? wanted : "curl";
  const choose = (next: Language): void => {
    writeStored("language", next);
    setLanguage(next);
  };
  return (
    <>
      <div class="chips" role="group" aria-label="Language">
        {languages.map((name) => (
          <button key={name} type="button" class="chip" aria-pressed={name === language} onClick={() => choose(name)}>
            {name}
          </button>
        ))}
      </div>
      <CodeBlock
        label={`Request in ${language}`}
        text={snippetOf(language, { operation, request, origin: location.origin })}
      />
      <p class="hint">
        The code reads the API key from the environment variable <code>ORBWEAVER_API_KEY</code>.
      </p>
    </>
  );
}
