import { useState } from "preact/hooks";
import { keys } from "../api/keys.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { CodeBlock } from "../parts/document/code-block.tsx";
import { CheckField } from "../parts/form/form-fields.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { useStore } from "../parts/store.ts";
import { goTo } from "../router.ts";
import { hrefOf } from "../routes.ts";
import type { Route } from "../routes.ts";
import { CallWatch } from "./call-watch.tsx";
import { clientsOf } from "./clients.ts";
import type { Client } from "./clients.ts";

const HIDDEN_KEY = "YOUR_API_KEY";
const GROUPS = ["Clients", "MCP", "Programs"] as const;

/** How to connect a program: base URL, key, a snippet for each client, and a test (`connect/<client>`). */
export function Connect({ route }: { route: Route }) {
  const [isKeyShown, setKeyShown] = useState(false);
  const key = useStore(keys)?.key ?? "";
  const { origin } = location;
  const shownKey = isKeyShown && key !== "" ? key : HIDDEN_KEY;
  const clients = clientsOf({ origin, key: shownKey });
  const chosen = clients.find(({ name }) => name === route.id) ?? clients[0];
  return (
    <>
      <PageHead title="Connect" lead="Use the service from your programs: every Firecrawl client works unchanged.">
        <a class="button" href="/docs" target="_blank">
          API reference
        </a>
      </PageHead>
      <div class="stack">
        <section class="card" aria-label="Address and key">
          <dl class="facts connect-facts">
            <div>
              <dt>Base URL</dt>
              <dd class="row">
                <code class="breaking">{origin}</code> <CopyButton text={origin} label="Copy URL" />
              </dd>
            </div>
            <div>
              <dt>API key</dt>
              <dd class="row">
                <code class="breaking">{key === "" ? "not required" : isKeyShown ? key : `${key.slice(0, 7)}…`}</code>
                {key !== "" && <CopyButton text={key} label="Copy key" />}
              </dd>
            </div>
          </dl>
          {key !== "" && (
            <CheckField label="Show the key in the snippets" isChecked={isKeyShown} change={setKeyShown} />
          )}
        </section>
        <div class="connect-columns">
          <section class="card stack" aria-label="Snippets">
            {GROUPS.map((group) => (
              <div key={group} class="chips" role="group" aria-label={group}>
                <span class="connect-group">{group}</span>
                {clients
                  .filter((client) => client.group === group)
                  .map(({ name, label }) => (
                    <button
                      key={name}
                      type="button"
                      class="chip"
                      aria-pressed={name === chosen?.name}
                      onClick={() => goTo(hrefOf("connect", name))}
                    >
                      {label}
                    </button>
                  ))}
              </div>
            ))}
            {chosen !== undefined && <Steps client={chosen} />}
          </section>
          <CallWatch />
        </div>
      </div>
    </>
  );
}

function Steps({ client }: { client: Client }) {
  return (
    <>
      <h2>{client.label}</h2>
      <ol class="steps">
        {client.steps.map(({ text, code, label }) => (
          <li key={text}>
            <p>
              {text} {label !== undefined && <code>{label}</code>}
            </p>
            {code !== undefined && <CodeBlock label={label ?? `${client.label}: ${text}`} text={code} />}
          </li>
        ))}
      </ol>
      <p>
        <a href={client.guide} target="_blank">
          Guide
        </a>
      </p>
    </>
  );
}
