/** Returns a statement's HTML as sanitized nodes with MathML formulas. Its samples are left out, since the page has its own. */
export async function render(html: string): Promise<DocumentFragment> {
  const { default: purify } = await import('dompurify');
  const nodes = purify.sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    USE_PROFILES: { html: true, mathMl: true, svg: false },
    FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select'],
    FORBID_ATTR: ['style', 'srcset'],
  });
  for (const sample of nodes.querySelectorAll('.sample')) sample.remove();
  // The page has its own first heading.
  for (const heading of nodes.querySelectorAll('h1')) {
    const lower = document.createElement('h2');
    lower.append(...heading.childNodes);
    heading.replaceWith(lower);
  }
  const formulas = nodes.querySelectorAll<HTMLElement>('span.math');
  if (formulas.length > 0) {
    const { default: katex } = await import('katex');
    for (const formula of formulas) {
      const tex = (formula.textContent ?? '').replace(/^\\[([]|\\[)\]]$/g, '');
      katex.render(tex, formula, {
        output: 'mathml',
        displayMode: formula.classList.contains('display'),
        throwOnError: false,
        // Statements come from the organisers, but must not load anything either.
        trust: false,
        // In ems: an extremely wide formula would hide what is next to it.
        maxSize: 40,
      });
    }
  }
  return nodes;
}
