/** What a browser keeps of a person's choices. Private windows may refuse it, and the page works without. */
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
    // Then it holds until the page is closed.
  }
}
