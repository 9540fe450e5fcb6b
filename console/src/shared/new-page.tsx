import { Paper } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { useFieldFaults } from './field-faults.tsx';
import { PageHead } from './page-head.tsx';
import { SaveBar } from './save-bar.tsx';
import { SecretLost } from './secret-input.tsx';

interface NewPageProperties<Values> {
  readonly title: string;
  readonly lead: ReactNode;
  /** The way back to the list. */
  readonly back: ReactNode;
  readonly form: UseFormReturnType<Values>;
  /** What makes the thing; its error is shown above the button. */
  readonly make: {
    readonly mutate: (values: Values) => void;
    readonly isPending: boolean;
    readonly error: unknown;
  };
  /** On the button. */
  readonly submit: string;
  readonly onDiscard?: () => void;
  /** `useLostSecret` of the form. */
  readonly isSecretLost?: boolean;
  readonly children: ReactNode;
}

/** Where something new is made: the way back, its fields, and one button that comes when something was typed. */
export function NewPage<Values>({
  title,
  lead,
  back,
  form,
  make,
  submit,
  onDiscard,
  isSecretLost = false,
  children,
}: NewPageProperties<Values>) {
  useFieldFaults(form, make.error);
  return (
    <div className="console-page">
      <PageHead title={title} lead={lead} back={back} />
      <form onSubmit={form.onSubmit((values) => make.mutate(values))}>
        <Paper p={{ base: 'md', sm: 'lg' }} maw={640}>
          <SecretLost value={isSecretLost}>{children}</SecretLost>
        </Paper>
        <SaveBar
          isDirty={form.isDirty()}
          isSaving={make.isPending}
          error={make.error}
          label={submit}
          onDiscard={onDiscard ?? (() => form.reset())}
        />
      </form>
    </div>
  );
}
