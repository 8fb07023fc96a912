import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { linter, lintGutter, lintKeymap } from "@codemirror/lint";
import type { Diagnostic } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Schema } from "../../api/openapi.ts";
import { rangeOf } from "./json-tree-path.ts";
import { completeFrom } from "./schema-completion.ts";
import { problemsOf } from "./schema-problems.ts";

export interface EditorOptions {
  text: string;
  label: string;
  /** Schema for completion and validation. */
  schema: Schema;
  change: (text: string) => void;
}

/** An editor in the page. */
export interface JsonEditorHandle {
  /** Replaces the text, unless it is the same. */
  setText(text: string): void;
  focus(): void;
  close(): void;
}

const HIGHLIGHT = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: tags.number, color: "var(--info)" },
  { tag: [tags.bool, tags.null], color: "var(--violet)" },
]);

const THEME = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "13px", maxHeight: "34rem" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", minHeight: "12rem" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { color: "var(--faint)", backgroundColor: "var(--raised)", border: "0" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-tooltip": {
    color: "var(--text)",
    backgroundColor: "var(--surface)",
    border: "1px solid var(--line-strong)",
    borderRadius: "7px",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    color: "var(--accent-strong)",
    backgroundColor: "var(--accent-soft)",
  },
  ".cm-completionInfo": { maxWidth: "20rem", padding: "6px 10px" },
  ".cm-completionDetail": { color: "var(--faint)" },
  ".cm-diagnostic": { padding: "4px 10px" },
});

/**
 * Opens an editor for JSON in an element. It is in a shadow root, because there its styles are constructed style sheets,
 * which the dashboard's Content-Security-Policy allows; elsewhere they would be inline.
 */
export function createEditor(host: HTMLElement, { text, label, schema, change }: EditorOptions): JsonEditorHandle {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open", delegatesFocus: true });
  // A text from outside is not reported back.
  let isReplacing = false;
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        json(),
        syntaxHighlighting(HIGHLIGHT),
        autocompletion({ override: [completeFrom(schema)] }),
        linter(jsonParseLinter()),
        linter((current) => schemaDiagnostics(current.state, schema)),
        // Tab is not bound: it leaves the editor, as everywhere.
        keymap.of([
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...lintKeymap,
          ...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"),
          ...historyKeymap,
        ]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isReplacing) change(update.state.doc.toString());
        }),
        THEME,
      ],
    }),
  });
  return {
    setText: (next) => {
      const current = view.state.doc.toString();
      if (current === next) return;
      isReplacing = true;
      view.dispatch({ changes: { from: 0, to: current.length, insert: next } });
      isReplacing = false;
    },
    focus: () => view.focus(),
    close: () => view.destroy(),
  };
}

/** Returns the differences from the schema as warnings: the service decides. */
function schemaDiagnostics(state: EditorState, schema: Schema): Diagnostic[] {
  let value: unknown;
  try {
    value = JSON.parse(state.doc.toString());
  } catch {
    return [];
  }
  return problemsOf(value, schema).map(({ path, message }) => ({
    ...rangeOf(state, path),
    severity: "warning",
    message,
  }));
}
