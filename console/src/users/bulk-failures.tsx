import { Text } from '@mantine/core';
import sharedDe from '../../../locales/console/de/shared.json';
import de from '../../../locales/console/de/users.json';
import shared from '../../../locales/console/en/shared.json';
import en from '../../../locales/console/en/users.json';
import { answered, api, inOrganization, type Answered } from '../api/client.ts';
import { words } from '../app/words.ts';
import { Refusal } from '../shared/failure.tsx';
import { useFilters } from '../shared/filters-in-address.ts';
import { AppLink } from '../shared/links.tsx';
import { List, SearchField, type Column } from '../shared/list.tsx';
import { usePagesByCursor } from '../shared/pages.ts';
import { named, orderOf, pageOf } from '../shared/search-body.ts';
import { InSection } from '../shared/section.tsx';
import { useSorting, type Orders } from '../shared/sorting.tsx';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

type Failed = NonNullable<
  Answered<'/management/v1/users/_bulk/{bulkActionId}/failures/_search', 'post'>['result']
>[number];
const ORDERS = {
  name: 'BULK_FAILURE_FIELD_NAME_NAME',
  created: undefined,
} as const satisfies Orders;
/** So many are found without a search. */
const FEW = 5;

interface FailuresProperties {
  readonly org: string;
  readonly id: string;
  readonly isRunning: boolean;
  /** How many: while it runs they become more. */
  readonly failed: number;
}

/** For whom it failed, and why. */
export function BulkFailures({ org, id, isRunning, failed }: FailuresProperties) {
  const [{ failure: search }] = useFilters();
  const { sorting, sorted } = useSorting(ORDERS, { parameter: 'sort-failures' });
  const pages = usePagesByCursor<Failed>(
    ['users', org, 'bulk', id, 'failures', { search }],
    async (cursor) => {
      const params = { ...inOrganization(org), path: { bulkActionId: id } };
      const page = { search, sorted, cursor };
      const body = { query: pageOf(page), queries: named(search), ...orderOf<typeof ORDERS.name>(page) };
      return await answered(
        api.POST('/management/v1/users/_bulk/{bulkActionId}/failures/_search', { params, body }),
      );
    },
    { sorted, growth: { isOngoing: isRunning, count: failed } },
  );
  const columns: readonly Column<Failed>[] = [
    {
      label: t.bulk.failures,
      sort: 'name',
      cell: ({ userId, name }) =>
        name === '' ? (
          userId
        ) : (
          <AppLink to="/orgs/$org/users/$user" params={{ org, user: userId }}>
            {name}
          </AppLink>
        ),
    },
    { label: t.bulk.reason, cell: ({ message }) => <Refusal message={message} /> },
  ];
  return (
    <InSection value={true}>
      {((search ?? '') !== '' || failed > FEW) && (
        <SearchField name="failure" label={t.bulk.searchFailures} />
      )}
      <List
        label={t.bulk.failures}
        columns={columns}
        {...pages}
        sorting={sorting}
        keyOf={({ userId }) => userId}
        step={FEW}
        empty={<Text c="dimmed">{s.list.nothingFits}</Text>}
      />
    </InSection>
  );
}
