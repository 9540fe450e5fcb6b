import { Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import sharedDe from '../../../locales/console/de/shared.json';
import de from '../../../locales/console/de/users.json';
import shared from '../../../locales/console/en/shared.json';
import en from '../../../locales/console/en/users.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { momentOf, since, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { Unread } from '../shared/found.tsx';
import { LoadingRows } from '../shared/loading.tsx';
import { Section } from '../shared/section.tsx';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

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
  const sessions = list.data ?? [];
  return (
    <Section
      title={t.sections.sessions}
      action={
        mayEnd && (
          <Confirm
            label={t.act.signOut}
            title={t.act.signOut}
            text={t.act.signOutText}
            size="xs"
            isWorking={endAll.isPending}
            onConfirm={() => endAll.mutate()}
          />
        )
      }
    >
      <Unread found={list} />
      {list.data === undefined && !list.error && <LoadingRows rows={2} />}
      {list.data !== undefined && sessions.length === 0 && <Text c="dimmed">{t.sessions.none}</Text>}
      {sessions.length > 0 && (
        <Table aria-label={t.sections.sessions}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.sessions.browser}</Table.Th>
              <Table.Th visibleFrom="sm">{t.sessions.began}</Table.Th>
              <Table.Th>{t.sessions.used}</Table.Th>
              {mayEnd && <Table.Th w={120}>{s.list.actions}</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sessions.map(({ id: session, browser, authenticationDate, lastSeenDate }) => (
              <Table.Tr key={session}>
                <Table.Td>{browser ?? t.sessions.unknown}</Table.Td>
                <Table.Td visibleFrom="sm">{momentOf(authenticationDate)}</Table.Td>
                <Table.Td>{since(lastSeenDate)}</Table.Td>
                {mayEnd && (
                  <Table.Td>
                    <End org={org} id={id} session={session} browser={browser ?? t.sessions.unknown} />
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
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
      label={t.sessions.end}
      title={`${t.sessions.end}: ${browser}`}
      text={t.sessions.endText}
      isWorking={end.isPending}
      onConfirm={() => end.mutate()}
    />
  );
}
