import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { useId, useRef } from 'react';
import de from '../../../locales/console/de/applications.json';
import en from '../../../locales/console/en/applications.json';
import { say, words } from '../app/words.ts';
import { Icon } from '../shared/icon.tsx';

const t = words({ en, de });

interface UriListProperties {
  readonly label: string;
  readonly description: string;
  readonly value: readonly string[];
  readonly onChange: (value: string[]) => void;
  /** What is wrong with an address that is filled in. */
  readonly problemOf?: (uri: string) => string | undefined;
  readonly placeholder?: string;
  readonly isReadOnly?: boolean;
  /** One field at least, and something in it. */
  readonly required?: boolean;
}

/** Addresses, one to a field: comparing is by character, so each is seen as it is. */
export function UriList(properties: UriListProperties) {
  const { label, description, value, onChange, problemOf, placeholder, isReadOnly, required } = properties;
  const id = useId();
  const fields = useRef<HTMLDivElement>(null);
  const rows = value.length === 0 ? [''] : value;
  const set = (index: number, uri: string) => onChange(rows.map((old, at) => (at === index ? uri : old)));
  return (
    <Input.Wrapper
      labelElement="div"
      label={label}
      description={description}
      labelProps={{ id }}
      {...(required === true && { required: true })}
    >
      <Stack gap="xs" mt={6} role="group" aria-labelledby={id} ref={fields}>
        {rows.map((uri, index) => {
          const problem = uri.trim() === '' ? undefined : problemOf?.(uri.trim());
          return (
            <Group
              // fields have nothing but their place
              // oxlint-disable-next-line react/no-array-index-key
              key={index}
              gap="xs"
              wrap="nowrap"
              align="flex-start"
            >
              <TextInput
                flex={1}
                aria-label={say(t.uri.nth, { label, number: index + 1 })}
                value={uri}
                placeholder={placeholder ?? ''}
                error={problem}
                // a form with it is not sent, and leads here
                ref={(input) => input?.setCustomValidity(problem ?? '')}
                onChange={({ currentTarget }) => set(index, currentTarget.value)}
                readOnly={isReadOnly === true}
                required={required === true && index === 0}
                inputMode="url"
                autoComplete="off"
                spellCheck={false}
              />
              {isReadOnly !== true && (rows.length > 1 || uri !== '') && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={36}
                  aria-label={say(t.uri.remove, { number: index + 1 })}
                  onClick={() => onChange(rows.filter((_, at) => at !== index))}
                >
                  <Icon name="cross" size={16} />
                </ActionIcon>
              )}
            </Group>
          );
        })}
        {isReadOnly !== true && (
          <Button
            variant="subtle"
            size="compact-sm"
            w="fit-content"
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => {
              onChange([...rows, '']);
              setTimeout(() => [...(fields.current?.querySelectorAll('input') ?? [])].at(-1)?.focus());
            }}
          >
            {t.uri.add}
          </Button>
        )}
      </Stack>
    </Input.Wrapper>
  );
}

/** Without the fields that were left empty. */
export function filled(uris: readonly string[]): string[] {
  return uris.map((uri) => uri.trim()).filter((uri) => uri !== '');
}
