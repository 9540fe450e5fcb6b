import { Box, Button, Checkbox, Select, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/messages.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/messages.json';
import shared from '../../../locales/console/en/shared.json';
import { useMay } from '../app/permissions.ts';
import { numberOf, say, since, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { useFilters } from '../shared/filters-in-address.ts';
import { Filters } from '../shared/filters.tsx';
import { AppLink } from '../shared/links.tsx';
import { Empty, List, type Column } from '../shared/list.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { usePagesByCursor } from '../shared/pages.ts';
import { IN_TIME, useSorting } from '../shared/sorting.tsx';
import { State } from '../shared/state.tsx';
import { TimeFilters } from '../shared/time-filters.tsx';
import { TypedFilter } from '../shared/typed-filter.tsx';
import { UserLink } from '../users/user-link.tsx';
import { UserPicker } from '../users/user-picker.tsx';
import {
  causeOf,
  CHANNELS,
  findMessages,
  MESSAGE_STATES,
  MOST_REPLAYED,
  replayMessages,
  TEMPLATES,
  TROUBLE,
  type Message,
  type MessageFilters,
} from './messages.ts';
import { SmsCharts } from './sms-charts.tsx';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });
const PAGE = 50;
const NO_FILTERS = {
  state: undefined,
  channel: undefined,
  template: undefined,
  user: undefined,
  recipient: undefined,
  from: undefined,
  to: undefined,
  dead: undefined,
};

/** What was sent to the users of an organization, and what became of it. */
export function MessagesPage() {
  const { org = '' } = useParams({ strict: false });
  const may = useMay(org);
  const [{ state, channel, template, user, recipient, from, to, dead }, setFilters] = useFilters();
  const filters: MessageFilters = { state, channel, template, user, recipient, from, to, dead };
  const { sorting, sorted } = useSorting(IN_TIME);
  const pages = usePagesByCursor<Message>(
    ['messages', org, 'list', filters],
    async (cursor) => await findMessages(org, filters, { limit: PAGE, asc: sorted.asc, cursor }),
    { sorted },
  );
  const total = Number(pages.total);
  const isFiltered = Object.values(filters).some((value) => (value ?? '') !== '');
  return (
    <div className="console-page">
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={
          may('notification.write') &&
          dead === 'true' &&
          // sending again knows no states: it would reach beyond what is listed
          (state ?? '') === '' &&
          total > 0 && <ReplayAll org={org} filters={filters} total={total} />
        }
      />
      {may('events.read') && <SmsCharts key={org} org={org} />}
      <Filters count={may('user.read') ? 7 : 5}>
        {may('user.read') && (
          <>
            <UserPicker
              org={org}
              label={t.recipient}
              value={user}
              onChange={(value) => setFilters({ user: value })}
              w="100%"
            />
            <TypedFilter
              label={t.address}
              value={recipient}
              onChange={(value) => setFilters({ recipient: value })}
            />
          </>
        )}
        <Select
          aria-label={s.list.state}
          placeholder={s.list.state}
          clearable
          value={state ?? null}
          onChange={(value) => setFilters({ state: value ?? undefined })}
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
          onChange={(value) => setFilters({ channel: value ?? undefined })}
          data={Object.entries(CHANNELS).map(([value, label]) => ({ value, label }))}
        />
        <Select
          aria-label={t.template}
          placeholder={t.template}
          clearable
          searchable
          value={template ?? null}
          onChange={(value) => setFilters({ template: value ?? undefined })}
          data={Object.entries(TEMPLATES).map(([value, label]) => ({ value, label }))}
        />
        <TimeFilters filters={filters} onChange={setFilters} />
      </Filters>
      <Checkbox
        mb="md"
        label={t.deadLetters}
        checked={dead === 'true'}
        onChange={({ currentTarget }) => setFilters({ dead: currentTarget.checked ? 'true' : undefined })}
      />
      <List
        label={t.title}
        columns={columns(org)}
        {...pages}
        sorting={sorting}
        keyOf={({ id }) => id}
        step={6}
        empty={
          isFiltered ? (
            <Empty
              title={s.list.nothingFits}
              text={s.list.nothingFitsText}
              action={
                <Button variant="default" onClick={() => setFilters(NO_FILTERS)}>
                  {s.list.clear}
                </Button>
              }
            />
          ) : (
            <Empty title={t.empty.title} text={t.empty.text} />
          )
        }
      />
    </div>
  );
}

interface ReplayAllProperties {
  readonly org: string;
  readonly filters: MessageFilters;
  readonly total: number;
}

function ReplayAll({ org, filters, total }: ReplayAllProperties) {
  const replay = useAct({
    call: async () => await replayMessages(org, filters),
    stale: [['messages', org]],
    onDone: ({ replayed, refused }) => {
      const message = say(t.replay.doneMany, {
        replayed: replayed.length,
        refused: refused.length,
      });
      notifications.show({ message, color: refused.length > 0 ? 'yellow' : 'green' });
    },
  });
  const count = Math.min(total, MOST_REPLAYED);
  return (
    <Confirm
      label={t.replay.many}
      title={t.replay.many}
      text={say(t.replay.manyText, { count })}
      isWorking={replay.isPending}
      onConfirm={() => replay.mutate()}
    />
  );
}

function columns(org: string): readonly Column<Message>[] {
  return [
    {
      label: t.message,
      cell: (message) => (
        <>
          <AppLink
            className="row-link"
            to="/orgs/$org/messages/$message"
            params={{ org, message: message.id }}
          >
            {TEMPLATES[message.template]}
          </AppLink>
          <Text size="sm" c="dimmed">
            {CHANNELS[message.channel]}
          </Text>
          <Box hiddenFrom="sm">
            <Recipient org={org} message={message} />
          </Box>
        </>
      ),
      width: 220,
    },
    {
      label: t.recipient,
      cell: (message) => <Recipient org={org} message={message} />,
      wide: true,
    },
    {
      label: s.list.state,
      cell: ({ state, reason, attempts }) => (
        <>
          <State {...MESSAGE_STATES[state]} />
          {reason !== undefined && (
            <Text size="sm" c="dimmed" visibleFrom="sm" lineClamp={2}>
              {causeOf(reason)}
            </Text>
          )}
          {attempts > 1 && (
            <Text size="sm" c="dimmed" visibleFrom="sm">
              {say(t.attempts, { count: numberOf(attempts) })}
            </Text>
          )}
        </>
      ),
      width: '32%',
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

function Recipient({
  org,
  message: { userId, target },
}: {
  readonly org: string;
  readonly message: Message;
}) {
  return (
    <>
      {userId !== undefined && <UserLink org={org} id={userId} />}
      <Text size="sm" c="dimmed">
        {target}
      </Text>
    </>
  );
}
