import type { UseFormReturnType } from '@mantine/form';
import { useEffect } from 'react';
import { Refused } from '../api/client.ts';
import { sentenceOf } from './failure.tsx';

/** The service begins what is wrong with a field by its name: `urls[1] must be …`. */
const FIELD = /^([a-z]\w*)(?:[[.\]\w]*) /i;

/**
 * Shows a refusal at the field that it is about as well, and leads there. Fields are called as the API calls them. What was typed
 * stays; the message goes with the next change of the field.
 */
export function useFieldFaults<Values>(form: UseFormReturnType<Values>, error: unknown): void {
  useEffect(() => {
    if (!(error instanceof Refused) || error.status !== 400) return;
    const field = FIELD.exec(error.message)?.[1];
    const values = form.getValues() as Readonly<Record<string, unknown>>;
    if (field === undefined || !(field in values)) return;
    form.setFieldError(field, <span lang="en">{sentenceOf(error.message)}</span>);
    form.getInputNode(field)?.focus();
    // once for each refusal: the form is another one each time it is drawn
    // oxlint-disable-next-line react/exhaustive-deps
  }, [error]);
}
