import { Button, Group, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/users.json';
import en from '../../../locales/console/en/users.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { useMay } from '../app/permissions.ts';
import { momentOf, since, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { Failure } from '../shared/failure.tsx';
import { AppLink } from '../shared/links.tsx';
import { LoadingPage, LoadingRows } from '../shared/loading.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { Copy } from '../shared/secret.tsx';
import { Facts, Section } from '../shared/section.tsx';
import { State } from '../shared/state.tsx';
import { nameOf, USER_STATES, type User } from './users.ts';

const t = words({ en, de });

/** One person: who they are, how they are reached, where they are signed in, and what can be done about it. */
export function UserPage() {
  const { org = '', user: id = '' } = useParams({ strict: false });
  const may = useMay(org);
  const params = { ...inOrganization(org), path: { id } };
  const found = useQuery({
    queryKey: ['users', org, id],
    queryFn: async () => (await answered(api.GET('/management/v1/users/{id}', { params }))).user,
  });
  if (found.error) return <Failure error={found.error} onRetry={() => void found.refetch()} />;
  if (found.data === undefined) return <LoadingPage />;
  const user = found.data;
  return (
    <div className="console-page">
      <PageHead
        title={nameOf(user)}
        lead={
          <Group gap="xs">
            <Text span>{user.preferredLoginName}</Text>
            <State {...USER_STATES[user.state]} />
          </Group>
        }
        back={
          <AppLink size="sm" to="/orgs/$org/users" params={{ org }}>
            {t.back}
          </AppLink>
        }
        actions={may('user.write') && <Actions org={org} user={user} />}
      />
      <Section title={t.sections.profile}>
        <Facts
          facts={[
            [t.fields.firstName, user.human?.profile.firstName],
            [t.fields.lastName, user.human?.profile.lastName],
            [t.fields.displayName, user.human?.profile.displayName],
            [t.fields.nickName, user.human?.profile.nickName],
            [t.fields.language, user.human?.profile.preferredLanguage],
          ]}
        />
      </Section>
      <Section title={t.sections.contact}>
        <Facts
          facts={[
            [
              t.email,
              <Verified key="email" value={user.human?.email.email} is={user.human?.email.isEmailVerified} />,
            ],
            [
              t.phone,
              user.human?.phone && (
                <Verified value={user.human.phone.phone} is={user.human.phone.isPhoneVerified} />
              ),
            ],
          ]}
        />
      </Section>
      <Sessions org={org} id={id} mayEnd={may('user.write')} />
      <Section title={t.sections.account}>
        <Facts
          facts={[
            [
              t.fields.id,
              <Group key="id" gap="xs">
                <Text span ff="monospace" size="sm">
                  {user.id}
                </Text>
                <Copy value={user.id} />
              </Group>,
            ],
            [t.fields.loginNames, user.loginNames.join(', ')],
            [t.fields.created, momentOf(user.details.creationDate)],
            [t.fields.changed, momentOf(user.details.changeDate)],
          ]}
        />
      </Section>
      {may('user.write') && <Deletion org={org} user={user} />}
    </div>
  );
}

function Verified({ value, is }: { readonly value: string | undefined; readonly is: boolean | undefined }) {
  return (
    <Group gap="xs">
      <Text span>{value}</Text>
      <State
        tone={is === true ? 'good' : 'warning'}
        label={is === true ? t.fields.verified : t.fields.notVerified}
      />
    </Group>
  );
}

function Actions({ org, user }: { readonly org: string; readonly user: User }) {
  const params = { ...inOrganization(org), path: { id: user.id } };
  const stale = [['users', org]];
  const lock = useAct({
    call: async () => await answered(api.POST('/management/v1/users/{id}/_lock', { params })),
    stale,
    done: t.done.locked,
  });
  const unlock = useAct({
    call: async () => await answered(api.POST('/management/v1/users/{id}/_unlock', { params })),
    stale,
    done: t.done.unlocked,
  });
  const deactivate = useAct({
    call: async () => await answered(api.POST('/management/v1/users/{id}/_deactivate', { params })),
    stale,
    done: t.done.deactivated,
  });
  const reactivate = useAct({
    call: async () => await answered(api.POST('/management/v1/users/{id}/_reactivate', { params })),
    stale,
    done: t.done.reactivated,
  });
  const reset = useAct({
    call: async () => await answered(api.POST('/management/v1/users/{id}/password/_reset', { params })),
    stale,
    done: t.done.reset,
  });
  return (
    <>
      {user.state === 'USER_STATE_LOCKED' ? (
        <Button variant="default" loading={unlock.isPending} onClick={() => unlock.mutate()}>
          {t.act.unlock}
        </Button>
      ) : (
        user.state !== 'USER_STATE_INACTIVE' && (
          <Confirm
            label={t.act.lock}
            title={`${t.act.lock}: ${nameOf(user)}`}
            text={t.act.lockText}
            isWorking={lock.isPending}
            onConfirm={() => lock.mutate()}
          />
        )
      )}
      {user.state === 'USER_STATE_INACTIVE' ? (
        <Button variant="default" loading={reactivate.isPending} onClick={() => reactivate.mutate()}>
          {t.act.reactivate}
        </Button>
      ) : (
        <Confirm
          label={t.act.deactivate}
          title={`${t.act.deactivate}: ${nameOf(user)}`}
          text={t.act.deactivateText}
          isWorking={deactivate.isPending}
          onConfirm={() => deactivate.mutate()}
        />
      )}
      <Confirm
        label={t.act.reset}
        title={t.act.reset}
        text={t.act.resetText}
        isWorking={reset.isPending}
        onConfirm={() => reset.mutate()}
      />
    </>
  );
}

interface SessionsProperties {
  readonly org: string;
  readonly id: string;
  readonly mayEnd: boolean;
}

function Sessions({ org, id, mayEnd }: SessionsProperties) {
  const params = { ...inOrganization(org), path: { id } };
  const list = useQuery({
    queryKey: ['users', org, id, 'sessions'],
    queryFn: async () => (await answered(api.GET('/management/v1/users/{id}/sessions', { params }))).result,
  });
  const end = useAct({
    call: async () => await answered(api.DELETE('/management/v1/users/{id}/sessions', { params })),
    stale: [['users', org, id]],
    done: t.done.signedOut,
  });
  const sessions = list.data ?? [];
  return (
    <Section
      title={t.sections.sessions}
      action={
        mayEnd &&
        sessions.length > 0 && (
          <Confirm
            label={t.act.signOut}
            title={t.act.signOut}
            text={t.act.signOutText}
            size="xs"
            isWorking={end.isPending}
            onConfirm={() => end.mutate()}
          />
        )
      }
    >
      {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.data === undefined && !list.error && <LoadingRows rows={2} />}
      {list.data !== undefined && sessions.length === 0 && <Text c="dimmed">{t.sessions.none}</Text>}
      {sessions.length > 0 && (
        <Table aria-label={t.sections.sessions}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.sessions.browser}</Table.Th>
              <Table.Th visibleFrom="sm">{t.sessions.began}</Table.Th>
              <Table.Th>{t.sessions.used}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sessions.map((session) => (
              <Table.Tr key={session.id}>
                <Table.Td>{session.browser}</Table.Td>
                <Table.Td visibleFrom="sm">{momentOf(session.authenticationDate)}</Table.Td>
                <Table.Td>{since(session.lastSeenDate)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  );
}

function Deletion({ org, user }: { readonly org: string; readonly user: User }) {
  const navigate = useNavigate();
  const remove = useAct({
    call: async () =>
      await answered(
        api.DELETE('/management/v1/users/{id}', {
          params: { ...inOrganization(org), path: { id: user.id } },
        }),
      ),
    stale: [['users', org]],
    done: t.done.deleted,
    onDone: () => void navigate({ to: '/orgs/$org/users', params: { org } }),
  });
  return (
    <Section
      danger
      title={t.sections.danger}
      lead={t.act.deleteText}
      action={
        <Confirm
          danger
          label={t.act.delete}
          title={`${t.act.delete}: ${nameOf(user)}`}
          text={<Stack gap="xs">{t.act.deleteText}</Stack>}
          word={user.userName}
          isWorking={remove.isPending}
          onConfirm={() => remove.mutate()}
        />
      }
    />
  );
}
