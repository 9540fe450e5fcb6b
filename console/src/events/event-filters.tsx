import { Select } from '@mantine/core';
import de from '../../../locales/console/de/events.json';
import en from '../../../locales/console/en/events.json';
import { words } from '../app/words.ts';
import { Filters } from '../shared/filters.tsx';
import { TimeFilters } from '../shared/time-filters.tsx';
import { TypedFilter } from '../shared/typed-filter.tsx';
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
      <TypedFilter label={t.filters.aggregateId} value={filters.id} onChange={(id) => onChange({ id })} />
      {scope !== 'instance' && mayPickUsers ? (
        <UserPicker
          org={scope.org}
          label={t.filters.actor}
          value={filters.actor}
          onChange={(actor) => onChange({ actor })}
          w="100%"
        />
      ) : (
        <TypedFilter
          label={t.filters.actorId}
          value={filters.actor}
          onChange={(actor) => onChange({ actor })}
        />
      )}
      {scope === 'instance' && (
        <TypedFilter
          label={t.filters.organization}
          value={filters.organization}
          onChange={(organization) => onChange({ organization })}
        />
      )}
      <TimeFilters filters={filters} onChange={onChange} />
    </Filters>
  );
}
