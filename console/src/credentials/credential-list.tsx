import { Box, Text } from '@mantine/core';
import de from '../../../locales/console/de/credentials.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/credentials.json';
import shared from '../../../locales/console/en/shared.json';
import { momentOf, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { useFilters } from '../shared/filters-in-address.ts';
import { List, StateFilter, type Column } from '../shared/list.tsx';
import type { CursorPage } from '../shared/page-parts.ts';
import { usePagesByCursor } from '../shared/pages.ts';
import { useSorting } from '../shared/sorting.tsx';
import { stateIn, type Credential, type CredentialKind, type CredentialSearch } from './credentials.ts';
import { Expiry } from './expiry.tsx';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

/** So many are looked through without a filter. */
const FEW = 5;

interface CredentialListProperties<State extends string> {
  readonly kind: CredentialKind<State>;
  readonly label: string;
  readonly none: string;
  readonly queryKey: readonly string[];
  readonly find: (search: CredentialSearch<State>) => Promise<CursorPage<Credential>>;
  readonly removeText: string;
  readonly removed: string;
  readonly mayWrite: boolean;
  readonly remove: (id: string) => Promise<unknown>;
}

/** Keys or tokens: what they are known by, since when, until when. */
export function CredentialList<State extends string>(properties: CredentialListProperties<State>) {
  const { kind, label, none, queryKey, find, mayWrite } = properties;
  const [filters] = useFilters();
  const state = stateIn(kind, filters);
  const { sorting, sorted } = useSorting(kind.orders, { parameter: `sort-${kind.name}` });
  const pages = usePagesByCursor<Credential>(
    [...queryKey, { state }],
    async (cursor) => await find({ state, sorted, cursor }),
    { sorted },
  );
  const columns: readonly Column<Credential>[] = [
    {
      label: t.id,
      cell: ({ id }) => (
        <Text span size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {id}
        </Text>
      ),
    },
    { label: t.created, sort: 'created', cell: ({ details }) => momentOf(details.creationDate), wide: true },
    {
      label: t.expires,
      sort: 'expires',
      sortWords: t.expiryOrder,
      cell: ({ expirationDate }) => <Expiry at={expirationDate} />,
    },
    ...(mayWrite
      ? [
          {
            label: s.list.actions,
            width: 120,
            cell: ({ id }: Credential) => <Removal {...properties} id={id} />,
          },
        ]
      : []),
  ];
  return (
    <>
      {(state !== undefined || (pages.rows?.length ?? 0) > FEW) && (
        <Box mb="md">
          <StateFilter name={kind.name} states={Object.entries<string>(kind.states)} />
        </Box>
      )}
      <List
        label={label}
        columns={columns}
        {...pages}
        // of a few, their number needs no line
        isWhole={!pages.hasMore}
        sorting={sorting}
        keyOf={({ id }) => id}
        empty={<Text c="dimmed">{state === undefined ? none : s.list.nothingFits}</Text>}
      />
    </>
  );
}

function Removal<State extends string>({
  id,
  queryKey,
  removeText,
  removed,
  remove,
}: CredentialListProperties<State> & { readonly id: string }) {
  const act = useAct({ call: async () => await remove(id), stale: [queryKey], done: removed });
  return (
    <Confirm
      danger
      variant="subtle"
      size="xs"
      inRow
      label={t.remove}
      title={`${t.remove}: ${id}`}
      text={removeText}
      isWorking={act.isPending}
      onConfirm={() => act.mutate()}
    />
  );
}
