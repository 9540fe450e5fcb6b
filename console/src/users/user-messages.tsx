import { Group, Text } from '@mantine/core';
import sharedDe from '../../../locales/console/de/shared.json';
import de from '../../../locales/console/de/users.json';
import shared from '../../../locales/console/en/shared.json';
import en from '../../../locales/console/en/users.json';
import { since, words } from '../app/words.ts';
import {
  causeOf,
  CHANNELS,
  findMessages,
  MESSAGE_STATES,
  TEMPLATES,
  type Message,
} from '../messages/messages.ts';
import { useFilters } from '../shared/filters-in-address.ts';
import { AppLink } from '../shared/links.tsx';
import { EmptyList, List, StateFilter, type Column } from '../shared/list.tsx';
import { usePagesByCursor } from '../shared/pages.ts';
import { IN_TIME, useSorting } from '../shared/sorting.tsx';
import { State } from '../shared/state.tsx';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });
const PAGE = 25;
/** So many are looked through without a filter. */
const FEW = 5;

/** What was sent to a user, and what became of it. */
export function UserMessages({ org, id }: { readonly org: string; readonly id: string }) {
  const [{ state }] = useFilters();
  const { sorting, sorted } = useSorting(IN_TIME);
  const pages = usePagesByCursor<Message>(
    ['messages', { org }, 'of', id, { state }],
    async (cursor) =>
      await findMessages({ org }, { user: id, state }, { limit: PAGE, asc: sorted.asc, cursor }),
    { sorted },
  );
  return (
    <>
      <Text c="dimmed" mb="md">
        {t.messages.lead}
      </Text>
      {((state ?? '') !== '' || (pages.rows?.length ?? 0) > FEW) && (
        <Group mb="md">
          <StateFilter states={Object.entries(MESSAGE_STATES).map(([value, { label }]) => [value, label])} />
        </Group>
      )}
      <List
        label={t.messages.title}
        columns={columns(org)}
        {...pages}
        sorting={sorting}
        keyOf={({ id: message }) => message}
        empty={<EmptyList filters={['state']} title={t.messages.none} text={t.messages.noneText} />}
      />
    </>
  );
}

function columns(org: string): readonly Column<Message>[] {
  return [
    {
      label: t.messages.title,
      cell: ({ id, template, channel, target }) => (
        <>
          <AppLink className="row-link" to="/orgs/$org/messages/$message" params={{ org, message: id }}>
            {TEMPLATES[template]}
          </AppLink>
          <Text size="sm" c="dimmed">
            {CHANNELS[channel]} · {target}
          </Text>
        </>
      ),
    },
    {
      label: s.list.state,
      cell: ({ state, reason }) => (
        <>
          <State {...MESSAGE_STATES[state]} />
          {reason !== undefined && (
            <Text size="sm" c="dimmed" visibleFrom="sm" lineClamp={2}>
              {causeOf(reason)}
            </Text>
          )}
        </>
      ),
      width: '36%',
    },
    {
      label: s.list.created,
      sort: 'created',
      cell: ({ details }) => since(details.creationDate),
      wide: true,
      width: 150,
    },
  ];
}
