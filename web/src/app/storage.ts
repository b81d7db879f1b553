/** Settings stored in the browser. Private windows may refuse that, and the page works without. */
export function load(key: string): string | null {
  try {
    return localStorage.getItem(`tautochrone.${key}`);
  } catch {
    return null;
  }
}

export function save(key: string, value: string) {
  try {
    localStorage.setItem(`tautochrone.${key}`, value);
  } catch {
    // Then it is lost when the page is closed.
  }
}
