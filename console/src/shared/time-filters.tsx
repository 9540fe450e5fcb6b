import { Text, TextInput } from '@mantine/core';
import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { words } from '../app/words.ts';
import { localTimeOf, universalTimeOf } from './local-time.ts';

const { list: t } = words({ en, de });

/** A span of time, as the address of a list has it: in UTC. Older addresses have local times, without a zone. */
export interface TimeSpan {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

interface TimeFiltersProperties {
  readonly filters: TimeSpan;
  readonly onChange: (changes: Readonly<Record<string, string | undefined>>) => void;
}

/** The two fields of a span of time, among the filters of a list. */
export function TimeFilters({ filters, onChange }: TimeFiltersProperties) {
  return (['from', 'to'] as const).map((name) => (
    <TextInput
      key={name}
      type="datetime-local"
      aria-label={t[name]}
      leftSection={<Text size="sm">{t[name]}</Text>}
      leftSectionWidth={52}
      value={shownTime(filters[name])}
      onChange={({ currentTarget }) => onChange({ [name]: universalTimeOf(currentTarget.value) })}
    />
  ));
}

function shownTime(value: string | undefined): string {
  const at = new Date(value ?? '');
  return Number.isNaN(at.getTime()) ? '' : localTimeOf(at);
}

/** As the API takes it. What is no time is left out: an address that somebody typed finds more, and no error. */
export function timesOf({ from, to }: TimeSpan) {
  return { ...momentOf('createdFrom', from), ...momentOf('createdBefore', to) };
}

function momentOf(name: 'createdFrom' | 'createdBefore', value: string | undefined) {
  const at = new Date(value ?? '');
  return Number.isNaN(at.getTime()) ? {} : { [name]: at.toISOString() };
}
