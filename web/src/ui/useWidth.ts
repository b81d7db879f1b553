import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/**
 * Returns a reference for an element, and its width in sixteenths of the page's text size, which are pixels at the default
 * size: 0 until it is known. Drawings in this unit grow with the text, on a wall display and with a larger text size.
 */
export function useWidth<T extends Element>(): [RefObject<T | null>, number] {
  const element = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => {
      const unit = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
      setWidth(Math.floor((entry?.contentRect.width ?? 0) / unit));
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
