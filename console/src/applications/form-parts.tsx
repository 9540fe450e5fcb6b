import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, type FormEvent, type ReactNode } from 'react';
import type { Where } from './applications.ts';
import { partLink, type Part } from './parts.ts';

interface FormPartsProperties {
  readonly where: Where;
  readonly at: Part;
  readonly children: ReactNode;
}

/**
 * The fields of one form, in parts of which one is shown. A field that keeps the form from being sent may be in another, where
 * no browser can point at it: that part is opened first.
 */
export function FormParts({ where, at, children }: FormPartsProperties) {
  const navigate = useNavigate();
  const faulty = useRef<HTMLInputElement>(undefined);
  useEffect(() => {
    faulty.current?.reportValidity();
    faulty.current = undefined;
  }, [at]);
  function lead(event: FormEvent<HTMLElement>): void {
    const field = event.target as HTMLInputElement;
    const part = field.closest<HTMLElement>('[data-part]')?.dataset['part'] as Part | undefined;
    if (part === undefined || part === at) return;
    event.preventDefault();
    if (faulty.current !== undefined) return;
    faulty.current = field;
    void navigate({ to: partLink(where, part).to });
  }
  return <div onInvalidCapture={lead}>{children}</div>;
}

interface FormPartProperties {
  readonly part: Part;
  readonly at: Part;
  readonly children: ReactNode;
}

export function FormPart({ part, at, children }: FormPartProperties) {
  return (
    <div data-part={part} hidden={part !== at}>
      {children}
    </div>
  );
}
