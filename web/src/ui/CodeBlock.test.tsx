import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { CodeBlock } from './CodeBlock';
import { ToastProvider } from './Toast';

test('output is shown as text, with invisible characters marked, and wraps if requested', () => {
  const text = 'Error: <img src=x onerror="alert(1)">\u202e … at Main.main(Main.java:9)';
  const { container } = render(
    <ToastProvider>
      <CodeBlock text={text} label="Standard error" wraps />
      <CodeBlock text="plain" label="Output" />
    </ToastProvider>,
  );
  const shown = screen.getByText(/Error/);
  expect(shown.textContent).toBe('Error: <img src=x onerror="alert(1)"><U+202E> … at Main.main(Main.java:9)');
  expect(container.querySelector('img')).toBeNull();
  expect(shown.hasAttribute('data-wraps')).toBe(true);
  expect(screen.getByText('plain').hasAttribute('data-wraps')).toBe(false);
});
