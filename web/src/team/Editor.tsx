import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import type { TFunction } from 'i18next';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { grammar } from '../ui/source/languages';
import '../ui/source/code.css';
import styles from './team.module.css';

const theme = EditorView.theme({
  '&': { backgroundColor: 'var(--ground)', color: 'var(--text)', height: 'clamp(14rem, 50vh, 40rem)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.45' },
  '.cm-gutters': { backgroundColor: 'var(--ground-2)', color: 'var(--text-2)', borderColor: 'var(--line)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--ground-3) 40%, transparent)' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-panels': { backgroundColor: 'var(--ground-2)', color: 'var(--text)' },
  '.cm-textfield, .cm-button': { backgroundColor: 'var(--ground)', backgroundImage: 'none', color: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-ground)',
  },
});

/** The server sends the nonce here: styles added by script need it. */
function nonce(): Extension {
  const meta = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]');
  return meta?.nonce ? EditorView.cspNonce.of(meta.nonce) : [];
}

/** The texts of the search panel, and its announcements to screen readers. */
function phrases(t: TFunction<'team'>): Record<string, string> {
  return {
    Find: t('editor.find'),
    Replace: t('editor.replaceWith'),
    next: t('editor.next'),
    previous: t('editor.previous'),
    all: t('editor.all'),
    'match case': t('editor.matchCase'),
    regexp: t('editor.regexp'),
    'by word': t('editor.byWord'),
    replace: t('editor.replace'),
    'replace all': t('editor.replaceAll'),
    close: t('editor.close'),
    'current match': t('editor.current'),
    'on line': t('editor.onLine'),
    'replaced match on line $': t('editor.replacedOne'),
    'replaced $ matches': t('editor.replacedAll'),
    'Go to line': t('editor.goToLine'),
    go: t('editor.go'),
  };
}

/** A source code editor. `initial` is read once: another text needs another `key`. */
export function Editor({
  initial,
  onChange,
  language,
  label,
  describedBy,
}: {
  initial: string;
  onChange: (text: string) => void;
  language: string | undefined;
  label: string;
  describedBy: string;
}) {
  const { t } = useTranslation('team');
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const grammarPlace = useRef(new Compartment());
  const changed = useEffectEvent((text: string) => onChange(text));
  const start = useEffectEvent(() => initial);

  useEffect(() => {
    if (!place.current) return;
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: start(),
        extensions: [
          nonce(),
          theme,
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          indentUnit.of('    '),
          EditorState.tabSize.of(4),
          bracketMatching(),
          highlightActiveLine(),
          highlightSelectionMatches(),
          search({ top: true }),
          syntaxHighlighting(classHighlighter),
          keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
          EditorState.phrases.of(phrases(t)),
          EditorView.contentAttributes.of({
            'aria-label': label,
            'aria-describedby': describedBy,
            spellcheck: 'false',
          }),
          EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
          grammarPlace.current.of([]),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label, describedBy, t]);

  useEffect(() => {
    const end = new AbortController();
    void grammar(language).then((found) => {
      if (!end.signal.aborted) view.current?.dispatch({ effects: grammarPlace.current.reconfigure(found ?? []) });
    });
    return () => end.abort();
  }, [language]);

  return <div ref={place} className={styles.editor} />;
}
