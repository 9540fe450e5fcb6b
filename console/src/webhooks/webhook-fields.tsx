import { Stack, TagsInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import de from '../../../locales/console/de/webhooks.json';
import types from '../../../locales/console/en/event-types.json';
import en from '../../../locales/console/en/webhooks.json';
import { words } from '../app/words.ts';
import type { WebhookValues } from './webhooks.ts';

const t = words({ en, de });

/** Each type, each beginning that several have, and all. */
const OFFERED = [
  '*',
  ...[...new Set(Object.keys(types).map((type) => `${type.split('.', 1)[0]}.*`))].sort(),
  ...Object.keys(types).sort(),
];

interface FieldsProperties {
  readonly form: UseFormReturnType<WebhookValues>;
  readonly isReadOnly?: boolean;
}

export function WebhookFields({ form, isReadOnly = false }: FieldsProperties) {
  const field = (name: keyof WebhookValues) => ({ ...form.getInputProps(name), readOnly: isReadOnly });
  return (
    <Stack>
      <TextInput label={t.fields.name} required {...field('name')} />
      <TextInput
        label={t.fields.url}
        description={t.fields.urlHelp}
        type="url"
        required
        autoComplete="off"
        placeholder="https://hooks.example.com/identity"
        {...field('url')}
      />
      <TagsInput
        label={t.fields.eventTypes}
        description={t.fields.eventTypesHelp}
        required
        data={OFFERED}
        limit={30}
        maxTags={50}
        acceptValueOnBlur
        {...field('eventTypes')}
      />
    </Stack>
  );
}
