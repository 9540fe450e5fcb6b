import { Select, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import de from '../../../locales/console/de/events.json';
import en from '../../../locales/console/en/events.json';
import { words } from '../app/words.ts';
import { Filters } from '../shared/filters.tsx';
import { UserPicker } from '../users/user-picker.tsx';
import { AGGREGATES, EVENT_TYPES, type EventFilters as Chosen, type Scope } from './events.ts';

const t = words({ en, de });

interface EventFiltersProperties {
  readonly scope: Scope;
  readonly mayPickUsers: boolean;
  readonly filters: Chosen;
  readonly onChange: (changes: Readonly<Record<string, string | undefined>>) => void;
}

export function EventFilters({ scope, mayPickUsers, filters, onChange }: EventFiltersProperties) {
  return (
    <Filters count={scope === 'instance' ? 7 : 6}>
      <Select
        aria-label={t.filters.type}
        placeholder={t.filters.type}
        clearable
        searchable
        value={filters.type ?? null}
        onChange={(value) => onChange({ type: value ?? undefined })}
        data={Object.entries(EVENT_TYPES).map(([value, label]) => ({ value, label }))}
        maxDropdownHeight={360}
      />
      <Select
        aria-label={t.filters.aggregate}
        placeholder={t.filters.aggregate}
        clearable
        searchable
        value={filters.aggregate ?? null}
        onChange={(value) => onChange({ aggregate: value ?? undefined })}
        data={Object.entries(AGGREGATES).map(([value, label]) => ({ value, label }))}
      />
      <IdField label={t.filters.aggregateId} value={filters.id} onChange={(id) => onChange({ id })} />
      {scope !== 'instance' && mayPickUsers ? (
        <UserPicker
          org={scope.org}
          label={t.filters.actor}
          value={filters.actor}
          onChange={(actor) => onChange({ actor })}
          w="100%"
        />
      ) : (
        <IdField label={t.filters.actorId} value={filters.actor} onChange={(actor) => onChange({ actor })} />
      )}
      {scope === 'instance' && (
        <IdField
          label={t.filters.organization}
          value={filters.organization}
          onChange={(organization) => onChange({ organization })}
        />
      )}
      {(['from', 'to'] as const).map((name) => (
        <TextInput
          key={name}
          type="datetime-local"
          aria-label={t.filters[name]}
          leftSection={<Text size="sm">{t.filters[name]}</Text>}
          leftSectionWidth={52}
          value={filters[name] ?? ''}
          onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
        />
      ))}
    </Filters>
  );
}

interface IdFieldProperties {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

function IdField({ label, value = '', onChange }: IdFieldProperties) {
  const [typed, setTyped] = useState(value);
  const later = useDebouncedCallback((text: string) => onChange(text.trim()), 300);
  useEffect(() => setTyped((old) => (old.trim() === value ? old : value)), [value]);
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        later(currentTarget.value);
      }}
    />
  );
}
