import { Box, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/providers.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/providers.json';
import shared from '../../../locales/console/en/shared.json';
import { useMayInInstance } from '../app/permissions.ts';
import { numberOf, since, words } from '../app/words.ts';
import { SmsCharts } from '../messages/sms-charts.tsx';
import { AppLink, ButtonLink } from '../shared/links.tsx';
import { ChoiceFilter, EmptyList, List, SearchField, StateFilter, type Column } from '../shared/list.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { State } from '../shared/state.tsx';
import { useWholeList } from '../shared/whole-list.ts';
import {
  CHANNELS,
  KINDS,
  listProviders,
  PROVIDER_STATES,
  PROVIDERS_KEY,
  type Provider,
} from './providers.ts';
import { SmsBlocks } from './sms-blocks.tsx';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

/** Who carries mail and SMS out, for the whole instance, and where no SMS go for now. */
export function ProvidersPage() {
  const may = useMayInInstance();
  const list = useQuery({ queryKey: [...PROVIDERS_KEY, 'list'], queryFn: listProviders });
  const { rows, sorting, needsFilters } = useWholeList(list.data, {
    name: ({ name }) => name,
    filters: { channel: ({ channel }) => channel, kind: ({ kind }) => kind, state: ({ state }) => state },
  });
  const add = may('iam.notification_provider.write') && (
    <ButtonLink to="/instance/providers/new">{t.add}</ButtonLink>
  );
  return (
    <div className="console-page">
      <PageHead title={t.title} lead={t.lead} actions={add} />
      {needsFilters && (
        <Group mb="md" gap="sm">
          <SearchField label={s.list.searchName} />
          <ChoiceFilter name="channel" label={t.fields.channel} choices={Object.entries(CHANNELS)} />
          <ChoiceFilter name="kind" label={s.list.kind} choices={Object.entries(KINDS)} />
          <StateFilter states={Object.entries(PROVIDER_STATES).map(([value, { label }]) => [value, label])} />
        </Group>
      )}
      <List
        label={t.title}
        columns={COLUMNS}
        rows={rows}
        sorting={sorting}
        keyOf={({ id }) => id}
        error={list.error}
        onRetry={() => void list.refetch()}
        total={rows?.length ?? 0}
        empty={
          <EmptyList
            filters={['search', 'channel', 'kind', 'state']}
            title={t.empty.title}
            text={t.empty.text}
            action={add}
          />
        }
      />
      {may('iam.events.read') && (
        <Box mt="xl">
          <SmsCharts org={undefined} />
        </Box>
      )}
      {may('iam.read') && <SmsBlocks mayLift={may('iam.write')} />}
    </div>
  );
}

const COLUMNS: readonly Column<Provider>[] = [
  {
    label: s.list.name,
    sort: 'name',
    cell: ({ id, name, kind, source }) => (
      <>
        <AppLink className="row-link" to="/instance/providers/$provider" params={{ provider: id }}>
          {name}
        </AppLink>
        <Text size="sm" c="dimmed">
          {source === 'configuration' ? `${KINDS[kind]}, ${t.fromConfiguration}` : KINDS[kind]}
        </Text>
      </>
    ),
  },
  { label: t.fields.channel, cell: ({ channel }) => CHANNELS[channel], wide: true, width: 120 },
  { label: s.list.state, cell: ({ state }) => <State {...PROVIDER_STATES[state]} />, width: 140 },
  {
    label: t.fields.priority,
    cell: ({ priority, source }) => (source === 'configuration' ? t.last : numberOf(priority)),
    wide: true,
    width: 120,
  },
  { label: s.list.changed, cell: ({ details }) => since(details?.changeDate), wide: true, width: 160 },
];
