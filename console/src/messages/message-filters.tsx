import { Checkbox, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/messages.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/messages.json';
import shared from '../../../locales/console/en/shared.json';
import { useMay, useMayInInstance } from '../app/permissions.ts';
import { words } from '../app/words.ts';
import { OrganizationPicker } from '../organizations/organization-picker.tsx';
import { listProviders, PROVIDERS_KEY } from '../providers/providers.ts';
import { Filters } from '../shared/filters.tsx';
import { TimeFilters } from '../shared/time-filters.tsx';
import { TypedFilter } from '../shared/typed-filter.tsx';
import { UserPicker } from '../users/user-picker.tsx';
import {
  CHANNELS,
  MESSAGE_STATES,
  TEMPLATES,
  TROUBLE,
  type MessageFilters as Chosen,
  type Scope,
} from './messages.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

interface MessageFiltersProperties {
  readonly scope: Scope;
  readonly filters: Chosen;
  readonly onChange: (changes: Readonly<Record<string, string | undefined>>) => void;
}

/** The filters of a ledger: those of the instance's begin with whose messages, those of an organization's with the recipient. */
export function MessageFilters({ scope, filters, onChange }: MessageFiltersProperties) {
  const { state, channel, template, dead } = filters;
  const mayPickUsers = useMay(scope === 'instance' ? '' : scope.org)('user.read') && scope !== 'instance';
  const mayPickProviders = useMayInInstance()('iam.notification_provider.read') && scope === 'instance';
  const first = scope === 'instance' ? (mayPickProviders ? 2 : 1) : mayPickUsers ? 2 : 0;
  return (
    <>
      <Filters count={first + 5}>
        {scope === 'instance' && (
          <OrganizationPicker
            label={t.organization}
            value={filters.organization}
            onChange={(organization) => onChange({ organization })}
          />
        )}
        {mayPickProviders && (
          <ProviderFilter value={filters.provider} onChange={(provider) => onChange({ provider })} />
        )}
        {mayPickUsers && (
          <>
            <UserPicker
              org={scope.org}
              label={t.recipient}
              value={filters.user}
              onChange={(user) => onChange({ user })}
              w="100%"
            />
            <TypedFilter
              label={t.address}
              value={filters.recipient}
              onChange={(recipient) => onChange({ recipient })}
            />
          </>
        )}
        <Select
          aria-label={s.list.state}
          placeholder={s.list.state}
          clearable
          value={state ?? null}
          onChange={(value) => onChange({ state: value ?? undefined })}
          data={[
            { value: TROUBLE, label: t.trouble },
            ...Object.entries(MESSAGE_STATES).map(([value, { label }]) => ({ value, label })),
          ]}
        />
        <Select
          aria-label={t.channel}
          placeholder={t.channel}
          clearable
          value={channel ?? null}
          onChange={(value) => onChange({ channel: value ?? undefined })}
          data={Object.entries(CHANNELS).map(([value, label]) => ({ value, label }))}
        />
        <Select
          aria-label={t.template}
          placeholder={t.template}
          clearable
          searchable
          value={template ?? null}
          onChange={(value) => onChange({ template: value ?? undefined })}
          data={Object.entries(TEMPLATES).map(([value, label]) => ({ value, label }))}
        />
        <TimeFilters filters={filters} onChange={onChange} />
      </Filters>
      <Checkbox
        mb="md"
        label={t.deadLetters}
        checked={dead === 'true'}
        onChange={({ currentTarget }) => onChange({ dead: currentTarget.checked ? 'true' : undefined })}
      />
    </>
  );
}

interface ProviderFilterProperties {
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
}

/** Of a provider that is gone, messages are found by its id in the address. */
function ProviderFilter({ value, onChange }: ProviderFilterProperties) {
  const { data = [] } = useQuery({ queryKey: [...PROVIDERS_KEY, 'list'], queryFn: listProviders });
  const isGone = value !== undefined && !data.some(({ id }) => id === value);
  return (
    <Select
      aria-label={t.fields.provider}
      placeholder={t.fields.provider}
      clearable
      searchable
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      data={[
        ...(isGone ? [{ value, label: value }] : []),
        ...data.map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  );
}
