import { Paper } from '@mantine/core';
import { use, useEffect, useRef, useState, type ReactNode } from 'react';
import { InSection } from './section.tsx';

interface TableFrameProperties {
  readonly label: string;
  readonly children: ReactNode;
}

/**
 * Around a table, which may be wider than a phone: where it scrolls sideways, it does so by keyboard as well (WCAG 2.1.1). In a
 * section it is no landmark of its own: the section is one, of the same name.
 */
export function TableFrame({ label, children }: TableFrameProperties) {
  const frame = useRef<HTMLDivElement>(null);
  const [scrolls, setScrolls] = useState(false);
  const isPlain = use(InSection);
  useEffect(() => {
    const { current } = frame;
    if (current === null) return undefined;
    const observer = new ResizeObserver(() => setScrolls(current.scrollWidth > current.clientWidth));
    observer.observe(current);
    for (const child of current.children) observer.observe(child);
    return () => observer.disconnect();
  }, []);
  return (
    <Paper
      ref={frame}
      style={{ overflowX: 'auto' }}
      {...(isPlain && { withBorder: false, radius: 0 })}
      {...(scrolls && { tabIndex: 0, role: isPlain ? 'group' : 'region', 'aria-label': label })}
    >
      {children}
    </Paper>
  );
}
