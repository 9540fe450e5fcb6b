import { Checkbox, Radio, Select, Stack, Text } from '@mantine/core';
import de from '../../../locales/console/de/imports.json';
import en from '../../../locales/console/en/imports.json';
import { say, words } from '../app/words.ts';
import { Section } from '../shared/section.tsx';
import type { FileSummary } from './read-file.ts';
import type { UploadOptions } from './upload-import.ts';

const t = words({ en, de });

interface ImportOptionsProperties {
  readonly options: UploadOptions;
  readonly summary: FileSummary | null | undefined;
  readonly isLocked: boolean;
  readonly onChange: (options: UploadOptions) => void;
}

/** How the records are taken, with what would be sent to their users said beforehand. */
export function ImportOptions({ options, summary, isLocked, onChange }: ImportOptionsProperties) {
  const set = (changes: Partial<UploadOptions>): void => onChange({ ...options, ...changes });
  const sent = summary && messagesOf(summary, options);
  return (
    <Section title={t.options.title}>
      <fieldset disabled={isLocked} className="plain-fieldset">
        <Stack gap="lg">
          <Radio.Group
            label={t.options.notify}
            value={options.notify}
            onChange={(value) => set({ notify: value })}
          >
            <Stack gap="xs" mt="xs">
              {(['now', 'deferred', 'none'] as const).map((value) => (
                <Radio
                  key={value}
                  value={value}
                  label={t.options[value]}
                  description={
                    <>
                      {t.options[`${value}Help`]}
                      {sent && value !== 'none' && (
                        <Text
                          component="span"
                          display="block"
                          size="sm"
                          fw={600}
                          c="var(--mantine-color-text)"
                        >
                          {sent}
                        </Text>
                      )}
                    </>
                  }
                />
              ))}
            </Stack>
          </Radio.Group>
          <Radio.Group label={t.options.mode} value={options.mode} onChange={(value) => set({ mode: value })}>
            <Stack gap="xs" mt="xs">
              {(['insert', 'skip', 'upsert'] as const).map((value) => (
                <Radio
                  key={value}
                  value={value}
                  label={t.options[value]}
                  description={t.options[`${value}Help`]}
                />
              ))}
            </Stack>
          </Radio.Group>
          {options.mode === 'upsert' && (
            <Checkbox
              label={t.options.updatePasswords}
              description={t.options.updatePasswordsHelp}
              checked={options.updatePasswords}
              onChange={({ currentTarget }) => set({ updatePasswords: currentTarget.checked })}
            />
          )}
          <Select
            label={t.options.initialState}
            data={[
              { value: '', label: t.options.initialStateUsual },
              { value: 'inactive', label: t.options.inactive },
              { value: 'locked', label: t.options.locked },
            ]}
            value={options.initialState}
            onChange={(value) => set({ initialState: value ?? '' })}
            allowDeselect={false}
            disabled={isLocked}
            maw={400}
          />
        </Stack>
      </fieldset>
    </Section>
  );
}

/** How many messages new users would get: those who are there already get none for what they have. */
function messagesOf(summary: FileSummary, { initialState }: UploadOptions): string {
  const isShutOut = initialState === 'inactive' || initialState === 'locked';
  const count = ({ stated, unstated }: FileSummary['mails']): number => stated + (isShutOut ? 0 : unstated);
  return say(summary.isEstimate ? t.options.messagesAbout : t.options.messages, {
    mails: count(summary.mails),
    sms: count(summary.sms),
  });
}
