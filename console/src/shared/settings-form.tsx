import { Paper, Stack } from '@mantine/core';
import { useForm, type FormErrors, type UseFormReturnType } from '@mantine/form';
import type { QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAct } from './act.ts';
import { useDraft } from './draft.ts';
import { SaveBar } from './save-bar.tsx';

interface SettingsFormProperties<Values> {
  /** Names the draft: one for each thing that is set. */
  readonly name: string;
  readonly initial: Values;
  readonly validate?: (values: Values) => FormErrors;
  readonly save: (values: Values) => Promise<unknown>;
  readonly stale: readonly QueryKey[];
  readonly done: string;
  readonly children: (form: UseFormReturnType<Values>) => ReactNode;
  /** Without a card around the fields: the page draws its own. */
  readonly bare?: boolean;
}

/**
 * Settings in one column, saved by one button. What was typed outlives an error and a reload. Give it a `key` that changes
 * with what is stored, so that it begins anew from that.
 */
export function SettingsForm<Values extends Record<string, unknown>>({
  name,
  initial,
  validate,
  save,
  stale,
  done,
  children,
  bare,
}: SettingsFormProperties<Values>) {
  const form = useForm<Values>({
    mode: 'controlled',
    initialValues: initial,
    validate: validate ?? (() => ({})),
    validateInputOnBlur: true,
  });
  useDraft(name, form.values, form.isDirty(), (kept) => form.setValues({ ...initial, ...kept }));
  const act = useAct({
    call: async (values: Values) => {
      await save(values);
      form.resetDirty();
    },
    stale,
    done,
    quiet: true,
  });
  const fields = children(form);
  return (
    <form noValidate onSubmit={form.onSubmit((values) => act.mutate(values))}>
      {bare === true ? (
        fields
      ) : (
        <Paper p={{ base: 'md', sm: 'lg' }} maw={640}>
          <Stack gap="xl">{fields}</Stack>
        </Paper>
      )}
      <SaveBar
        isDirty={form.isDirty()}
        isSaving={act.isPending}
        error={act.error}
        onDiscard={() => {
          form.reset();
          act.reset();
        }}
      />
    </form>
  );
}
