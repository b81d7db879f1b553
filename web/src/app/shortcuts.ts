import { useEffectEvent, useLayoutEffect } from 'react';
import type common from '../i18n/en.json';

export type ShortcutWords = keyof (typeof common)['shortcut'];

interface Shortcut {
  key: string;
  words: ShortcutWords;
}

const known = new Set<Shortcut>();

/** Returns the shortcuts of the open view, for the help. */
export function shortcuts(): Shortcut[] {
  return [...known].sort((a, b) => a.key.localeCompare(b.key));
}

/** Registers a shortcut while the component is mounted; it is ignored while the user types. `words` is its name in the help. */
export function useShortcut(key: string, words: ShortcutWords, action: () => void) {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    const isTyping = target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
    if (event.key !== key || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    // Space activates the focused button.
    if (key === ' ' && target.closest('button, a, summary')) return;
    event.preventDefault();
    action();
  });
  // Before the view is painted: `useEffect` runs some frames later, and a key pressed meanwhile would be lost.
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
