import { useState } from 'react';
import { load, save } from './storage';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

function stored(): Theme {
  return themes.find((theme) => theme === load('theme')) ?? 'system';
}

export function applyTheme(theme: Theme = stored()) {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(stored);
  return [
    theme,
    (next) => {
      save('theme', next);
      applyTheme(next);
      setTheme(next);
    },
  ];
}
