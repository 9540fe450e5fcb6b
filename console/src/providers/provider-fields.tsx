import { Group, Radio, Select, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import de from '../../../locales/console/de/providers.json';
import en from '../../../locales/console/en/providers.json';
import { words } from '../app/words.ts';
import { SecretInput } from '../shared/secret-input.tsx';
import { CHANNELS, KINDS, type ProviderValues } from './providers.ts';

const t = words({ en, de });

interface FieldsProperties {
  readonly form: UseFormReturnType<ProviderValues>;
  /** One that is there keeps its kind, and its secret unless another is given. */
  readonly isNew: boolean;
  readonly isReadOnly?: boolean;
}

/** The fields of a provider: those of all kinds, and those of its own. */
export function ProviderFields({ form, isNew, isReadOnly = false }: FieldsProperties) {
  const { kind, user } = form.getValues();
  const field = (name: keyof ProviderValues) => ({ ...form.getInputProps(name), readOnly: isReadOnly });
  return (
    <Stack>
      {isNew && (
        <Radio.Group label={t.fields.kind} {...form.getInputProps('kind')}>
          <Stack gap="xs" mt="xs">
            {Object.entries(KINDS).map(([value, label]) => (
              <Radio
                key={value}
                value={value}
                label={label}
                description={t.kindHelp[value as keyof typeof KINDS]}
              />
            ))}
          </Stack>
        </Radio.Group>
      )}
      <TextInput label={t.fields.name} required {...field('name')} />
      {kind === 'smtp' && (
        <>
          <Group align="flex-start" wrap="nowrap">
            <TextInput
              flex="3 1 0"
              label={t.fields.host}
              required
              placeholder="smtp.example.com"
              {...field('host')}
            />
            <TextInput
              flex="1 1 0"
              miw={76}
              label={t.fields.port}
              inputMode="numeric"
              placeholder={form.getValues().tls === 'implicit' ? '465' : '587'}
              {...field('port')}
            />
          </Group>
          <Select
            label={t.fields.tls}
            allowDeselect={false}
            data={Object.entries(t.tls).map(([value, label]) => ({ value, label }))}
            {...field('tls')}
          />
          <TextInput
            label={t.fields.from}
            description={t.fields.fromHelp}
            required
            placeholder="Acme <no-reply@example.com>"
            {...field('from')}
          />
          <TextInput label={t.fields.replyTo} type="email" {...field('replyTo')} />
          <TextInput label={t.fields.user} autoComplete="off" {...field('user')} />
          {user !== '' && <SecretField label={t.fields.password} {...{ form, isNew, isReadOnly }} />}
        </>
      )}
      {(kind === 'twilio_messages' || kind === 'twilio_verify') && (
        <>
          <TextInput label={t.fields.accountSid} required placeholder="AC…" {...field('accountSid')} />
          <SecretField label={t.fields.authToken} {...{ form, isNew, isReadOnly }} />
        </>
      )}
      {kind === 'twilio_messages' && (
        <>
          <TextInput
            label={t.fields.sender}
            description={t.fields.senderHelp}
            placeholder="+41791234567"
            {...field('from')}
          />
          <TextInput
            label={t.fields.messagingServiceSid}
            placeholder="MG…"
            {...field('messagingServiceSid')}
          />
        </>
      )}
      {kind === 'twilio_verify' && (
        <TextInput
          label={t.fields.verifyServiceSid}
          required
          placeholder="VA…"
          {...field('verifyServiceSid')}
        />
      )}
      {kind === 'http' && (
        <>
          {isNew && (
            <Radio.Group label={t.fields.channel} {...form.getInputProps('channel')}>
              <Group mt="xs">
                {Object.entries(CHANNELS).map(([value, label]) => (
                  <Radio key={value} value={value} label={label} />
                ))}
              </Group>
            </Radio.Group>
          )}
          <TextInput
            label={t.fields.url}
            type="url"
            required
            placeholder="https://messages.example.com/send"
            {...field('url')}
          />
          <SecretField
            label={t.fields.signingKey}
            help={t.fields.signingKeyHelp}
            {...{ form, isNew, isReadOnly }}
          />
        </>
      )}
      <Group grow align="flex-start">
        <TextInput
          label={t.fields.priority}
          description={t.fields.priorityHelp}
          inputMode="numeric"
          placeholder="100"
          {...field('priority')}
        />
        <TextInput
          label={t.fields.ratePerSecond}
          description={t.fields.ratePerSecondHelp}
          inputMode="numeric"
          {...field('ratePerSecond')}
        />
      </Group>
      <TextInput
        label={t.fields.connections}
        description={t.fields.connectionsHelp}
        inputMode="numeric"
        placeholder="8"
        maw={260}
        {...field('connections')}
      />
    </Stack>
  );
}

function SecretField({
  label,
  help,
  form,
  isNew,
  isReadOnly,
}: FieldsProperties & { readonly label: string; readonly help?: string }) {
  if (isReadOnly === true) return null;
  return (
    <SecretInput
      label={label}
      description={isNew ? (help ?? t.fields.secretHelp) : t.fields.secretKept}
      required={isNew}
      autoComplete="new-password"
      show={t.fields.show}
      {...form.getInputProps('secret')}
    />
  );
}
