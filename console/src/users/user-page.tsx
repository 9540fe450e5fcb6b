import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import de from '../../../locales/console/de/users.json';
import en from '../../../locales/console/en/users.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { Forbidden } from '../app/forbidden.tsx';
import { Lost } from '../app/lost.tsx';
import { useMay, useMe, type May } from '../app/permissions.ts';
import { momentOf, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { Deletion } from '../shared/deletion.tsx';
import { Found } from '../shared/found.tsx';
import { AppLink } from '../shared/links.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { Copied } from '../shared/secret.tsx';
import { Facts, Section } from '../shared/section.tsx';
import { State } from '../shared/state.tsx';
import { SubPlaces } from '../shared/sub-places.tsx';
import { AccountActions } from './account-actions.tsx';
import { LoginName } from './login-name.tsx';
import { RoleAssignments } from './role-assignments.tsx';
import { UserContact } from './user-contact.tsx';
import { UserEvents } from './user-events.tsx';
import { UserFactors } from './user-factors.tsx';
import { UserIdentities } from './user-identities.tsx';
import { UserMessages } from './user-messages.tsx';
import { UserMetadata } from './user-metadata.tsx';
import { UserName } from './user-name.tsx';
import { PasskeyLink, SetPassword } from './user-password.tsx';
import { UserProfile } from './user-profile.tsx';
import { UserSessions } from './user-sessions.tsx';
import { nameOf, USER_STATES, type User } from './users.ts';

const t = words({ en, de });

interface UserProperties {
  readonly org: string;
  readonly user: User;
  readonly may: May;
}

interface Tab {
  /** The last part of the address; none for the first. */
  readonly path: string;
  readonly label: string;
  readonly permission: string;
  readonly Content: (properties: UserProperties) => ReactNode;
}

const TABS: readonly Tab[] = [
  { path: '', label: t.tabs.profile, permission: 'user.read', Content: Profile },
  { path: 'contact', label: t.tabs.contact, permission: 'user.read', Content: Contact },
  { path: 'security', label: t.tabs.security, permission: 'user.read', Content: Security },
  { path: 'roles', label: t.tabs.roles, permission: 'user.grant.read', Content: Roles },
  { path: 'metadata', label: t.tabs.metadata, permission: 'user.read', Content: Metadata },
  { path: 'messages', label: t.tabs.messages, permission: 'notification.read', Content: Messages },
  { path: 'events', label: t.tabs.events, permission: 'events.read', Content: Events },
];

/** One person: who they are, how they are reached, how they sign in, what they may do, and what happened to them. */
export function UserPage() {
  const { org = '', user: id = '' } = useParams({ strict: false });
  const params = { ...inOrganization(org), path: { id } };
  const found = useQuery({
    queryKey: ['users', org, id],
    queryFn: async () => (await answered(api.GET('/management/v1/users/{id}', { params }))).user,
  });
  return <Found found={found}>{(user) => <OneUser org={org} user={user} />}</Found>;
}

function OneUser({ org, user }: Omit<UserProperties, 'may'>) {
  const { tab: at = '' } = useParams({ strict: false });
  const may = useMay(org);
  const { id } = user;
  // what is told of events and members does not say which of the two somebody is
  if (user.machine !== undefined)
    return <Navigate to="/orgs/$org/service-users/$user" params={{ org, user: id }} replace />;
  const start = `/orgs/${org}/users/${id}`;
  const tabs = TABS.filter(({ permission }) => may(permission));
  const tab = TABS.find(({ path }) => path === at);
  if (tab === undefined) return <Lost />;
  if (!may(tab.permission)) return <Forbidden permission={tab.permission} />;
  return (
    <div className="console-page">
      <PageHead
        title={nameOf(user)}
        lead={
          <Group gap="xs">
            <LoginName>{user.preferredLoginName}</LoginName>
            <State {...USER_STATES[user.state]} />
          </Group>
        }
        back={
          <AppLink size="sm" to="/orgs/$org/users" params={{ org }}>
            {t.back}
          </AppLink>
        }
        actions={
          may('user.write') && (
            <>
              <AccountActions org={org} user={user} words={t} />
              <PasswordReset org={org} user={user} />
            </>
          )
        }
      />
      <SubPlaces
        label={t.tabs.label}
        places={tabs.map(({ path, label }) => ({ path: path === '' ? start : `${start}/${path}`, label }))}
      />
      <tab.Content org={org} user={user} may={may} />
    </div>
  );
}

function Profile({ org, user, may }: UserProperties) {
  const navigate = useNavigate();
  const mayWrite = may('user.write');
  return (
    <>
      <UserProfile org={org} user={user} mayWrite={mayWrite} />
      <UserName org={org} user={user} mayWrite={mayWrite} />
      <Section title={t.sections.account}>
        <Facts
          facts={[
            [t.fields.id, <Copied key="id" value={user.id} />],
            [t.fields.loginNames, user.loginNames.join(', ')],
            [t.fields.created, momentOf(user.details.creationDate)],
            [t.fields.changed, momentOf(user.details.changeDate)],
          ]}
        />
      </Section>
      {mayWrite && (
        <Deletion
          title={t.sections.danger}
          label={t.act.delete}
          name={nameOf(user)}
          text={t.act.deleteText}
          word={user.userName}
          remove={async () =>
            await answered(
              api.DELETE('/management/v1/users/{id}', {
                params: { ...inOrganization(org), path: { id: user.id } },
              }),
            )
          }
          stale={[['users', org, 'list']]}
          done={t.done.deleted}
          onGone={() => void navigate({ to: '/orgs/$org/users', params: { org }, ignoreBlocker: true })}
        />
      )}
    </>
  );
}

function Contact({ org, user, may }: UserProperties) {
  return <UserContact org={org} user={user} mayWrite={may('user.write')} />;
}

function Security({ org, user, may }: UserProperties) {
  const { data: me } = useMe();
  const isOwn = me?.id === user.id;
  // one's own are changed in one's account, and who is shut out gets none
  const mayGive = may('user.write') && me !== undefined && !isOwn && isLetIn(user);
  return (
    <>
      {mayGive && <SetPassword org={org} user={user} />}
      {mayGive && <PasskeyLink org={org} user={user} />}
      <UserFactors org={org} id={user.id} mayWrite={may('user.write')} isOwn={isOwn} />
      <UserIdentities
        org={org}
        id={user.id}
        mayWrite={may('user.write')}
        mayReadProviders={may('org.idp.read')}
      />
      <UserSessions org={org} id={user.id} mayEnd={may('user.write')} />
    </>
  );
}

function Roles({ org, user, may }: UserProperties) {
  return (
    <RoleAssignments
      org={org}
      user={user.id}
      mayWrite={may('user.grant.write') && may('project.read')}
      mayRead={may('project.read')}
    />
  );
}

function Metadata({ org, user, may }: UserProperties) {
  return <UserMetadata org={org} id={user.id} mayWrite={may('user.write')} />;
}

function Messages({ org, user }: UserProperties) {
  return <UserMessages org={org} id={user.id} />;
}

function Events({ org, user }: UserProperties) {
  return <UserEvents org={org} id={user.id} />;
}

function isLetIn({ state }: User): boolean {
  return state === 'USER_STATE_ACTIVE' || state === 'USER_STATE_INITIAL';
}

/** Who is shut out gets no link: it would let them in nowhere. */
function PasswordReset({ org, user }: { readonly org: string; readonly user: User }) {
  const params = { ...inOrganization(org), path: { id: user.id } };
  const reset = useAct({
    call: async () => await answered(api.POST('/management/v1/users/{id}/password/_reset', { params })),
    stale: [['users', org, user.id]],
    done: t.done.reset,
  });
  if (!isLetIn(user)) return null;
  return (
    <Confirm
      label={t.act.reset}
      title={t.act.reset}
      text={t.act.resetText}
      isWorking={reset.isPending}
      onConfirm={() => reset.mutate()}
    />
  );
}
