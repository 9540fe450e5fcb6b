import { Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { useIsNarrow } from './steps.ts';

interface FoldProperties {
  readonly title: string;
  /** What is in it, so that nobody has to open it to find out. */
  readonly lead: string;
  readonly children: ReactNode;
}

/** Fields that few people need, out of the way of the others. One that is wrong is shown, and has the focus. */
export function Fold({ title, lead, children }: FoldProperties) {
  const box = useRef<HTMLDetailsElement>(null);
  const wasFaulty = useRef(false);
  useEffect(() => {
    const faulty = box.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    const isFaulty = faulty !== undefined && faulty !== null;
    // once each time the form is sent: whoever folds it meanwhile has seen it
    if (isFaulty && !wasFaulty.current && box.current?.open === false) {
      box.current.open = true;
      faulty.focus();
    }
    wasFaulty.current = isFaulty;
  });
  useEffect(() => {
    const form = box.current?.closest('form');
    function again(): void {
      wasFaulty.current = false;
    }
    form?.addEventListener('submit', again, true);
    return () => form?.removeEventListener('submit', again, true);
  }, []);
  return (
    <details className="fold" ref={box}>
      <summary>
        <Text span fw={600}>
          {title}
        </Text>
        <Text span display="block" size="sm" c="dimmed">
          {lead}
        </Text>
      </summary>
      <Stack mt="md">{children}</Stack>
    </details>
  );
}

interface NarrowFoldProperties extends FoldProperties {
  /** On a wide screen it goes without a heading. */
  readonly plain?: boolean;
}

/** Fields that stand open where there is room for them. */
export function NarrowFold({ plain = false, children, ...fold }: NarrowFoldProperties) {
  if (useIsNarrow()) return <Fold {...fold}>{children}</Fold>;
  return (
    <>
      {!plain && (
        <Title order={3} size="h5">
          {fold.title}
        </Title>
      )}
      {children}
    </>
  );
}
