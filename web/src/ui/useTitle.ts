import { useEffect } from 'react';

/** Sets the title of the browser's tab. */
export function useTitle(title: string) {
  useEffect(() => {
    document.title = `${title} · Tautochrone`;
  }, [title]);
}
