import { Box, Text } from '@mantine/core';
import de from '../../../locales/console/de/providers.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/providers.json';
import shared from '../../../locales/console/en/shared.json';
import { answered, api, type Answered } from '../api/client.ts';
import { momentOf, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { useFilters } from '../shared/filters-in-address.ts';
import { List, SearchField, type Column } from '../shared/list.tsx';
import { usePagesByCursor } from '../shared/pages.ts';
import { inQuery } from '../shared/search-body.ts';
import { Section } from '../shared/section.tsx';
import { useSorting, type Orders } from '../shared/sorting.tsx';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });
const REASONS: Readonly<Partial<Record<string, string>>> = t.blocks.reasons;
const KEY = ['sms-blocks'] as const;
const ORDERS = {
  prefix: 'SMS_BLOCK_FIELD_NAME_PREFIX',
  until: 'SMS_BLOCK_FIELD_NAME_BLOCKED_UNTIL',
  created: undefined,
} as const satisfies Orders;
/** So many are found without a search. */
const FEW = 5;

type SmsBlock = NonNullable<Answered<'/admin/v1/sms_blocks', 'get'>['result']>[number];

/** Which blocks of numbers get no SMS for now, in the whole instance. */
export function SmsBlocks({ mayLift }: { readonly mayLift: boolean }) {
  const [{ block: search }] = useFilters();
  const { sorting, sorted } = useSorting(ORDERS, { parameter: 'sort-blocks' });
  const pages = usePagesByCursor<SmsBlock>(
    [...KEY, { search }],
    async (cursor) => {
      const query = inQuery<(typeof ORDERS)[keyof typeof ORDERS] & string>({ search, sorted, cursor });
      return await answered(api.GET('/admin/v1/sms_blocks', { params: { query } }));
    },
    { sorted },
  );
  const lift = useAct({
    call: async (prefix: string) =>
      await answered(api.DELETE('/admin/v1/sms_blocks/{prefix}', { params: { path: { prefix } } })),
    stale: [KEY],
    done: t.blocks.lifted,
  });
  const isFiltered = (search ?? '') !== '';
  const columns: readonly Column<SmsBlock>[] = [
    {
      label: t.blocks.prefix,
      sort: 'prefix',
      sortWords: t.blocks.order,
      cell: ({ prefix }) => `${prefix} …`,
    },
    { label: t.blocks.reason, cell: ({ reason }) => REASONS[reason] ?? reason },
    {
      label: t.blocks.until,
      sort: 'until',
      sortWords: s.list.timeOrder,
      cell: ({ blockedUntil }) => momentOf(blockedUntil),
      wide: true,
    },
    {
      label: s.list.created,
      sort: 'created',
      cell: ({ details }) => momentOf(details.creationDate),
      wide: 'widest',
    },
    ...(mayLift
      ? [
          {
            label: s.list.actions,
            cell: ({ prefix }: SmsBlock) => (
              <Confirm
                size="xs"
                inRow
                label={t.blocks.lift}
                title={`${t.blocks.lift}: ${prefix} …`}
                text={t.blocks.liftText}
                isWorking={lift.isPending && lift.variables === prefix}
                onConfirm={() => lift.mutate(prefix)}
              />
            ),
          },
        ]
      : []),
  ];
  return (
    <div style={{ marginBlockStart: 24 }}>
      <Section title={t.blocks.title} lead={t.blocks.lead}>
        {(isFiltered || (pages.rows?.length ?? 0) > FEW) && (
          <Box mb="md">
            <SearchField label={t.blocks.search} name="block" />
          </Box>
        )}
        <List
          label={t.blocks.title}
          columns={columns}
          {...pages}
          isWhole={!pages.hasMore}
          sorting={sorting}
          keyOf={({ prefix }) => prefix}
          empty={<Text c="dimmed">{isFiltered ? s.list.nothingFits : t.blocks.none}</Text>}
        />
      </Section>
    </div>
  );
}
