import { Paper, Stack } from '@mantine/core';
import { useForm, type FormErrors, type UseFormReturnType } from '@mantine/form';
import { notifyManager, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useAct } from './act.ts';
import { Conflict, isConflict, KeptInput } from './conflict.tsx';
import { forgetDraft, useDraft, useLostSecret } from './draft.ts';
import { useFieldFaults } from './field-faults.tsx';
import { SaveBar } from './save-bar.tsx';
import { SecretLost } from './secret-input.tsx';

interface SettingsFormProperties<Values> {
  /** Names the draft: one for each thing that is set. */
  readonly name: string;
  /** What is set, where the title around the form does not say it. */
  readonly what?: string;
  /** Fields that are not kept for a reload. */
  readonly secrets?: readonly (keyof Values)[];
  readonly initial: Values;
  /** How often the thing had been changed when `initial` was read: a change on top of another's is refused. */
  readonly sequence?: string | undefined;
  readonly validate?: (values: Values) => FormErrors;
  /** @param sequence what the change is made on top of; undefined to make it whatever is there */
  readonly save: (values: Values, sequence: string | undefined) => Promise<unknown>;
  readonly stale: readonly QueryKey[];
  readonly done: string;
  readonly onSaved?: () => void;
  readonly children: (form: UseFormReturnType<Values>) => ReactNode;
  /** Without a card around the fields: the page draws its own. */
  readonly bare?: boolean;
  /** The address below which the form stays: it shows one part of its fields at a time. */
  readonly within?: string;
}

/**
 * Settings in one column, saved by one button. What was typed outlives an error, a reload and a save that was on its way
 * meanwhile; with nothing typed the form follows what is stored. With a `sequence`, whoever saves over somebody else's change
 * is told, and chooses.
 */
export function SettingsForm<Values extends Record<string, unknown>>(
  properties: SettingsFormProperties<Values>,
) {
  // another thing is another form: the page stays where only its address names another one
  return <Form key={properties.name} {...properties} />;
}

function Form<Values extends Record<string, unknown>>({
  name,
  what,
  secrets = [],
  initial,
  sequence,
  validate,
  save,
  stale,
  done,
  onSaved,
  children,
  bare,
  within,
}: SettingsFormProperties<Values>) {
  const queries = useQueryClient();
  const form = useForm<Values>({
    mode: 'controlled',
    initialValues: initial,
    validate: validate ?? (() => ({})),
    validateInputOnBlur: true,
  });
  // what was typed was typed over this; a draft brings its own along, or it would hide what others changed meanwhile
  const [base, setBase] = useState(sequence);
  // what stood there at `base`; unknown for a draft that was typed over something older
  const typedOver = useRef<Values | undefined>(initial);
  const open = withoutSecrets(form.values, initial, secrets);
  useDraft(name, { values: open, base }, form.isDirty(), (kept) => {
    form.setValues({ ...initial, ...kept.values });
    setBase(kept.base);
    if (kept.base !== sequence) typedOver.current = undefined;
  });
  const isTyped = secrets.some((secret) => form.values[secret] !== initial[secret]);
  const isSecretLost = useLostSecret(name, isTyped, form.isDirty());
  const stored = JSON.stringify([sequence, initial]);
  const read = useRef(stored);
  useEffect(() => {
    if (read.current === stored) return;
    read.current = stored;
    if (!form.isDirty()) begin();
    // another part of the same thing was changed: nothing that this form would write over
    else if (isSame(typedOver.current, initial)) setBase(sequence);
  });
  /** From what is stored, which others may have changed since the form opened. */
  function begin(): void {
    form.setInitialValues(initial);
    form.reset();
    setBase(sequence);
    typedOver.current = initial;
  }
  const act = useAct({
    call: async ({ values, on }: { readonly values: Values; readonly on: string | undefined }) => {
      const answer = await save(values, on);
      // not what was typed since: that is not saved yet
      form.resetDirty(values);
      forgetDraft(name);
      setBase(sequenceOf(answer) ?? sequence);
      typedOver.current = undefined;
    },
    stale,
    done,
    quiet: true,
    ...(onSaved !== undefined && { onDone: onSaved }),
  });
  useFieldFaults(form, act.error);
  const [kept, keep] = useKept<Values>(name);
  // read first, and shown then: what is typed into the form meanwhile is not typed over what was there before
  const [isTheirsRead, setTheirsRead] = useState(false);
  const theirs = useAct({
    call: async () => {
      await Promise.all(
        stale.map(
          async (queryKey) =>
            await queries.invalidateQueries({ queryKey: [...queryKey] }, { throwOnError: true }),
        ),
      );
      // the page hears of what was read a moment after it was
      await new Promise<void>((resolve) => notifyManager.schedule(resolve));
    },
    stale: [],
    onDone: () => setTheirsRead(true),
  });
  // no secret that is stored is ever shown: one that was typed stays in its field meanwhile, and nowhere else
  const waiting = useRef<Partial<Values>>({});
  useEffect(() => {
    if (!isTheirsRead) return;
    setTheirsRead(false);
    keep(open);
    waiting.current = secretsOf(form.values, secrets);
    begin();
    form.setValues(waiting.current);
    act.reset();
  });
  // what is saved or discarded meanwhile would be on top of what was there before
  const isReading = theirs.isPending || isTheirsRead;
  const fields = <SecretLost value={isSecretLost}>{children(form)}</SecretLost>;
  return (
    <form
      noValidate={validate !== undefined}
      onSubmit={form.onSubmit((values) => act.mutate({ values, on: base }))}
    >
      {kept !== undefined && (
        <KeptInput
          onShow={() => {
            form.setValues({ ...initial, ...kept, ...secretsOf(form.values, secrets) });
            keep(undefined);
          }}
          onDiscard={() => {
            keep(undefined);
            const unchanged = secrets.filter((secret) => form.values[secret] === waiting.current[secret]);
            form.setValues(secretsOf(initial, unchanged));
          }}
        />
      )}
      {bare === true ? (
        fields
      ) : (
        <Paper p={{ base: 'md', sm: 'lg' }} mb="md">
          <Stack gap="xl" maw={600}>
            {fields}
          </Stack>
        </Paper>
      )}
      <SaveBar
        isDirty={form.isDirty()}
        isSaving={act.isPending}
        isReading={isReading}
        what={what}
        within={within}
        error={isConflict(act.error) ? undefined : act.error}
        onDiscard={() => {
          begin();
          act.reset();
        }}
      >
        {isConflict(act.error) && (
          <Conflict
            isReading={isReading}
            onTheirs={() => theirs.mutate()}
            onOverwrite={() => act.mutate({ values: form.values, on: undefined })}
          />
        )}
      </SaveBar>
    </form>
  );
}

function withoutSecrets<Values>(values: Values, initial: Values, secrets: readonly (keyof Values)[]): Values {
  const open = { ...values };
  for (const secret of secrets) open[secret] = initial[secret];
  return open;
}

function secretsOf<Values>(values: Values, secrets: readonly (keyof Values)[]): Partial<Values> {
  return Object.fromEntries(secrets.map((secret) => [secret, values[secret]])) as Partial<Values>;
}

/** Values of a form are plain: text, numbers, switches and lists of them. */
function isSame<Values>(one: Values | undefined, other: Values): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What changed the thing answers what it is at now. */
function sequenceOf(answer: unknown): string | undefined {
  return (answer as { readonly details?: { readonly sequence?: string } } | undefined)?.details?.sequence;
}

/** What somebody had typed before they looked at another's change: also after the form began anew from that. */
function useKept<Values>(name: string): readonly [Values | undefined, (values: Values | undefined) => void] {
  const key = `console.kept.${name}`;
  const [kept, setKept] = useState<Values | undefined>(() => {
    const text = sessionStorage.getItem(key);
    return text === null ? undefined : (JSON.parse(text) as Values);
  });
  function keep(values: Values | undefined): void {
    if (values === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(values));
    setKept(values);
  }
  return [kept, keep];
}
