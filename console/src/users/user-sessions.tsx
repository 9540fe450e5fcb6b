import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import sharedDe from '../../../locales/console/de/shared.json';
import de from '../../../locales/console/de/users.json';
import shared from '../../../locales/console/en/shared.json';
import en from '../../../locales/console/en/users.json';
import { answered, api, inOrganization, type Answered } from '../api/client.ts';
import { momentOf, since, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { List, type Column } from '../shared/list.tsx';
import { Section } from '../shared/section.tsx';
import { timeOf, useSortedRows } from '../shared/whole-list.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

type UserSession = NonNullable<Answered<'/management/v1/users/{id}/sessions', 'get'>['result']>[number];

interface UserSessionsProperties {
  readonly org: string;
  readonly id: string;
  readonly mayEnd: boolean;
}

/** Where a user is signed in. */
export function UserSessions({ org, id, mayEnd }: UserSessionsProperties) {
  const params = { ...inOrganization(org), path: { id } };
  const list = useQuery({
    queryKey: ['users', org, id, 'sessions'],
    queryFn: async () => (await answered(api.GET('/management/v1/users/{id}/sessions', { params }))).result,
  });
  const endAll = useAct({
    call: async () => await answered(api.DELETE('/management/v1/users/{id}/sessions', { params })),
    stale: [['users', org, id]],
    done: t.done.signedOut,
  });
  const { rows, sorting } = useSortedRows(
    list.data,
    {
      browser: ({ browser }) => browser,
      began: ({ authenticationDate }) => timeOf(authenticationDate),
      used: ({ lastSeenDate }) => timeOf(lastSeenDate),
    },
    { parameter: 'sort-sessions' },
  );
  const columns: readonly Column<UserSession>[] = [
    { label: t.sessions.browser, sort: 'browser', cell: ({ browser }) => browser ?? t.sessions.unknown },
    {
      label: t.sessions.began,
      sort: 'began',
      sortWords: s.list.timeOrder,
      cell: ({ authenticationDate }) => momentOf(authenticationDate),
      wide: true,
    },
    {
      label: t.sessions.used,
      sort: 'used',
      sortWords: s.list.timeOrder,
      cell: ({ lastSeenDate }) => since(lastSeenDate),
    },
    ...(mayEnd
      ? [
          {
            label: s.list.actions,
            width: 120,
            cell: ({ id: session, browser = t.sessions.unknown }: UserSession) => (
              <End org={org} id={id} session={session} browser={browser} />
            ),
          },
        ]
      : []),
  ];
  return (
    <Section
      title={t.sections.sessions}
      action={
        mayEnd && (
          <Confirm
            label={t.act.signOut}
            title={t.act.signOut}
            text={t.act.signOutText}
            isWorking={endAll.isPending}
            onConfirm={() => endAll.mutate()}
          />
        )
      }
    >
      <List
        label={t.sections.sessions}
        columns={columns}
        rows={rows}
        sorting={sorting}
        keyOf={({ id: session }) => session}
        error={list.error}
        onRetry={() => void list.refetch()}
        isWhole
        empty={<Text c="dimmed">{t.sessions.none}</Text>}
      />
    </Section>
  );
}

interface EndProperties {
  readonly org: string;
  readonly id: string;
  readonly session: string;
  readonly browser: string;
}

function End({ org, id, session, browser }: EndProperties) {
  const end = useAct({
    call: async () =>
      await answered(
        api.DELETE('/management/v1/users/{id}/sessions/{session}', {
          params: { ...inOrganization(org), path: { id, session } },
        }),
      ),
    stale: [['users', org, id, 'sessions']],
    done: t.sessions.ended,
  });
  return (
    <Confirm
      variant="subtle"
      size="xs"
      inRow
      label={t.sessions.end}
      title={`${t.sessions.end}: ${browser}`}
      text={t.sessions.endText}
      isWorking={end.isPending}
      onConfirm={() => end.mutate()}
    />
  );
}
