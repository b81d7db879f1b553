import { useEffectEvent, useLayoutEffect } from 'react';
import type common from '../i18n/en.json';

export type ShortcutWords = keyof (typeof common)['shortcut'];

interface Shortcut {
  key: string;
  words: ShortcutWords;
}

const known = new Set<Shortcut>();

/** Returns what keys do in the view that is open, for the help. */
export function shortcuts(): Shortcut[] {
  return [...known].sort((a, b) => a.key.localeCompare(b.key));
}

/** Lets a key do something while the component is shown; not while somebody types. `words` names it in the help. */
export function useShortcut(key: string, words: ShortcutWords, action: () => void) {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    const isTyping = target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
    if (event.key !== key || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    // The space key is a button's own.
    if (key === ' ' && target.closest('button, a, summary')) return;
    event.preventDefault();
    action();
  });
  // Before the view is seen: `useEffect` listens some frames later, and a key pressed at once would be lost.
  useLayoutEffect(() => {
    const shortcut = { key, words };
    const listener = (event: KeyboardEvent) => onKey(event);
    known.add(shortcut);
    document.addEventListener('keydown', listener);
    return () => {
      known.delete(shortcut);
      document.removeEventListener('keydown', listener);
    };
  }, [key, words]);
}
