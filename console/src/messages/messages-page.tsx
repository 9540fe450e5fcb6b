import { Box, Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import de from '../../../locales/console/de/messages.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/messages.json';
import shared from '../../../locales/console/en/shared.json';
import { useMay, useMayInInstance } from '../app/permissions.ts';
import { numberOf, say, since, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { useFilters } from '../shared/filters-in-address.ts';
import { AppLink } from '../shared/links.tsx';
import { Empty, List, type Column } from '../shared/list.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { usePagesByCursor } from '../shared/pages.ts';
import { IN_TIME, useSorting } from '../shared/sorting.tsx';
import { State } from '../shared/state.tsx';
import { UserLink } from '../users/user-link.tsx';
import { MessageFilters as Filters } from './message-filters.tsx';
import {
  causeOf,
  CHANNELS,
  filtersOf,
  findMessages,
  hostOf,
  MESSAGE_STATES,
  MOST_REPLAYED,
  NO_FILTERS,
  replayMessages,
  TEMPLATES,
  type Message,
  type MessageFilters,
  type Scope,
} from './messages.ts';
import { OrganizationLink } from './organization-link.tsx';
import { SmsCharts } from './sms-charts.tsx';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });
const PAGE = 50;
/** What was sent to the users of an organization, and what became of it. */
export function MessagesPage() {
  const { org = '' } = useParams({ strict: false });
  const may = useMay(org);
  return (
    <Ledger
      scope={{ org }}
      title={t.title}
      lead={t.lead}
      mayReplay={may('notification.write')}
      charts={may('events.read') && <SmsCharts key={org} org={org} />}
    />
  );
}

/** The same of all organizations, with where the providers are that did not take it. */
export function InstanceMessagesPage() {
  const may = useMayInInstance();
  return (
    <Ledger scope="instance" title={t.instanceTitle} lead={t.instanceLead} mayReplay={may('iam.write')} />
  );
}

interface LedgerProperties {
  readonly scope: Scope;
  readonly title: string;
  readonly lead: string;
  readonly mayReplay: boolean;
  /** Above the list. */
  readonly charts?: ReactNode;
}

function Ledger({ scope, title, lead, mayReplay, charts }: LedgerProperties) {
  const [asked, setFilters] = useFilters();
  const filters = filtersOf(scope, asked);
  const { sorting, sorted } = useSorting(IN_TIME);
  const pages = usePagesByCursor<Message>(
    ['messages', scope, 'list', filters],
    async (cursor) => await findMessages(scope, filters, { limit: PAGE, asc: sorted.asc, cursor }),
    { sorted },
  );
  const { state, dead } = filters;
  const total = Number(pages.total);
  const isFiltered = Object.values(filters).some((value) => (value ?? '') !== '');
  return (
    <div className="console-page">
      <PageHead
        title={title}
        lead={lead}
        actions={
          mayReplay &&
          dead === 'true' &&
          // sending again knows no states: it would reach beyond what is listed
          (state ?? '') === '' &&
          total > 0 && <ReplayAll scope={scope} filters={filters} total={total} />
        }
      />
      {charts}
      <Filters scope={scope} filters={filters} onChange={setFilters} />
      <List
        label={title}
        columns={columns(scope)}
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
  readonly scope: Scope;
  readonly filters: MessageFilters;
  readonly total: number;
}

function ReplayAll({ scope, filters, total }: ReplayAllProperties) {
  const replay = useAct({
    call: async () => await replayMessages(scope, filters),
    stale: [['messages']],
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

function columns(scope: Scope): readonly Column<Message>[] {
  return [
    {
      label: t.message,
      cell: (message) => (
        <>
          <MessageLink scope={scope} message={message} />
          <Text size="sm" c="dimmed">
            {CHANNELS[message.channel]}
          </Text>
          <Box hiddenFrom="sm">
            <Recipient message={message} />
            {scope === 'instance' && <OrganizationLink message={message} />}
          </Box>
        </>
      ),
      width: 220,
    },
    {
      label: t.recipient,
      cell: (message) => <Recipient message={message} />,
      wide: true,
    },
    ...(scope === 'instance'
      ? [
          {
            label: t.organization,
            cell: (message: Message) => <OrganizationLink message={message} />,
            wide: true,
          } as const,
        ]
      : []),
    {
      label: s.list.state,
      cell: (message) => <Outcome message={message} />,
      width: scope === 'instance' ? '28%' : '32%',
    },
    {
      label: s.list.created,
      sort: 'created',
      cell: ({ details }) => since(details.creationDate),
      wide: scope === 'instance' ? 'widest' : true,
      width: 150,
    },
  ];
}

function MessageLink({ scope, message }: { readonly scope: Scope; readonly message: Message }) {
  const name = TEMPLATES[message.template];
  return scope === 'instance' ? (
    <AppLink className="row-link" to="/instance/messages/$message" params={{ message: message.id }}>
      {name}
    </AppLink>
  ) : (
    <AppLink
      className="row-link"
      to="/orgs/$org/messages/$message"
      params={{ org: scope.org, message: message.id }}
    >
      {name}
    </AppLink>
  );
}

function Outcome({ message }: { readonly message: Message }) {
  const { state, reason, attempts } = message;
  const host = hostOf(message);
  return (
    <>
      <State {...MESSAGE_STATES[state]} />
      {reason !== undefined && (
        <Text size="sm" c="dimmed" visibleFrom="sm" lineClamp={2}>
          {causeOf(reason)}
        </Text>
      )}
      {host !== undefined && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {host}
        </Text>
      )}
      {attempts > 1 && (
        <Text size="sm" c="dimmed" visibleFrom="sm">
          {say(t.attempts, { count: numberOf(attempts) })}
        </Text>
      )}
    </>
  );
}

function Recipient({ message: { userId, target, details } }: { readonly message: Message }) {
  return (
    <>
      {userId !== undefined && <UserLink org={details.resourceOwner} id={userId} />}
      <Text size="sm" c="dimmed">
        {target}
      </Text>
    </>
  );
}
