// The model's text, with what is wrong underlined where it stands.

import { acceptCompletion, autocompletion, type CompletionContext } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Problem } from "./engine";

const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--s2)" },
  { tag: [tags.number, tags.bool, tags.atom], color: "var(--s1)" },
  { tag: [tags.propertyName, tags.variableName], color: "var(--accent)" },
]);

const LOOK = EditorView.theme({
  "&": { height: "100%", fontSize: "0.9rem", color: "var(--ink)", backgroundColor: "var(--card)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--sunk)", color: "var(--soft)", border: "none" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent) 6%, transparent)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 25%, transparent) !important" },
  ".cm-tooltip": { backgroundColor: "var(--card)", color: "var(--ink)", border: "1px solid var(--line)", maxWidth: "34rem", whiteSpace: "pre-wrap" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
});

export class Editor {
  private readonly view: EditorView;
  private silent = false;
  private marked = false;

  /** In a shadow tree: there the editor's own styles are no inline styles for the page's policy. */
  constructor(place: HTMLElement, text: string, changed: () => void, keys: string[]) {
    const root = place.attachShadow({ mode: "open" });
    const words = (context: CompletionContext) => {
      const word = context.matchBefore(/^\s*\[*\w+/);
      return word && { from: word.from + word.text.search(/\w/), options: keys.map((label) => ({ label, type: "keyword" })) };
    };
    this.view = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          lintGutter(),
          autocompletion({ override: [words] }),
          StreamLanguage.define(toml),
          syntaxHighlighting(COLOURS),
          LOOK,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": "The model", tabindex: "0" }),
          // Escape, then Tab leaves the editor.
          keymap.of([{ key: "Tab", run: acceptCompletion }, indentWithTab, ...defaultKeymap, ...historyKeymap]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !this.silent) changed();
          }),
        ],
      }),
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  set text(text: string) {
    if (text === this.text) return;
    this.silent = true;
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
    this.silent = false;
  }

  /** Another text by the lab: a step that can be undone, and is heard as one that was typed. */
  change(text: string): void {
    const before = this.text;
    let [from, end] = [0, 0];
    const most = Math.min(before.length, text.length);
    while (from < most && before[from] === text[from]) from++;
    while (end < most - from && before[before.length - 1 - end] === text[text.length - 1 - end]) end++;
    this.view.dispatch({ changes: { from, to: before.length - end, insert: text.slice(from, text.length - end) } });
  }

  /** Underlines what has a place. */
  mark(problems: Problem[]): void {
    if (problems.length === 0 && !this.marked) return;
    this.marked = problems.length > 0;
    const text = this.text;
    // Places count characters, an editor counts units of UTF-16.
    const units = (characters: number) => Array.from(text).slice(0, characters).join("").length;
    const places = problems.map(({ span, severity, message, hint, notes }): Diagnostic => {
      const [start, end] = span ?? [0, 0];
      const from = Math.min(units(start), text.length);
      const to = Math.min(Math.max(units(end), from), text.length);
      return { from, to, severity, message: [message, hint, ...notes].filter(Boolean).join("\n") };
    });
    this.view.dispatch(setDiagnostics(this.view.state, places));
  }
}
