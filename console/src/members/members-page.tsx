import { Button, Checkbox, Flex, Group, Stack, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/members.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/members.json';
import sharedEn from '../../../locales/console/en/shared.json';
import { answered, api, ifMatch, inOrganization, type Answered, type Sent } from '../api/client.ts';
import { useMay, useMayInInstance } from '../app/permissions.ts';
import { untilThere } from '../app/queries.ts';
import { say, since, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { useConflict } from '../shared/conflict.tsx';
import { useDraft } from '../shared/draft.ts';
import { useFilters } from '../shared/filters-in-address.ts';
import { FormDialog, useDialogDraft } from '../shared/form-dialog.tsx';
import { FoundSelect, useTyped } from '../shared/found-select.tsx';
import { AppLink } from '../shared/links.tsx';
import { ChoiceFilter, EmptyList, List, SearchField, type Column } from '../shared/list.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { wholeOf, type CursorPage } from '../shared/page-parts.ts';
import { usePagesByCursor } from '../shared/pages.ts';
import { named, orderOf, pageOf, type ListSearch } from '../shared/search-body.ts';
import { useSorting, type Orders } from '../shared/sorting.tsx';
import { LoginName } from '../users/login-name.tsx';
import { useUserName } from '../users/user-names.ts';
import { findUsers, nameOf } from '../users/users.ts';

const t = words({ en, de });
const s = words({ en: sharedEn, de: sharedDe });

type Member = NonNullable<Answered<'/admin/v1/members/_search', 'post'>['result']>[number];
type Role = keyof typeof t.names;
type Given = Answered<'/admin/v1/members', 'post'>;

/** Where roles are held: everything that differs between an organization and the instance. */
interface Scope {
  readonly key: readonly string[];
  readonly roles: readonly Role[];
  readonly find: (search: MemberSearch) => Promise<CursorPage<Member>>;
  readonly add: (userId: string, roles: readonly Role[]) => Promise<Given>;
  readonly replace: (userId: string, roles: readonly Role[], sequence?: string) => Promise<Given>;
  readonly remove: (userId: string) => Promise<unknown>;
}

interface MemberSearch extends ListSearch {
  readonly role?: string | undefined;
}

const ORDERS = {
  name: 'MEMBER_FIELD_NAME_NAME',
  created: 'MEMBER_FIELD_NAME_CREATION_DATE',
} as const satisfies Orders;

function bodyOf({ role, ...search }: MemberSearch) {
  // each of the two places has roles of its own, and refuses the other's
  const queries = [
    ...named(search.search),
    ...(role === undefined || role === '' ? [] : [{ roleQuery: { role: role as never } }]),
  ];
  return { query: pageOf(search), queries, ...orderOf<(typeof ORDERS)[keyof typeof ORDERS]>(search) };
}

const ALL = Object.keys(t.names) as readonly Role[];

function inThisOrganization(org: string): Scope {
  type Roles = Sent<'/management/v1/orgs/me/members', 'post'>['roles'];
  const header = inOrganization(org);
  return {
    key: ['members', org],
    roles: ALL.filter((role) => role.startsWith('ORG_')),
    find: async (search) =>
      await answered(
        api.POST('/management/v1/orgs/me/members/_search', { params: header, body: bodyOf(search) }),
      ),
    add: async (userId, roles) =>
      await answered(
        api.POST('/management/v1/orgs/me/members', {
          params: header,
          body: { userId, roles: roles as Roles },
        }),
      ),
    replace: async (userId, roles, sequence) =>
      (await answered(
        api.PUT('/management/v1/orgs/me/members/{userId}', {
          params: { ...inOrganization(org, sequence), path: { userId } },
          body: { roles: roles as Roles },
        }),
      )) as unknown as Given,
    remove: async (userId) =>
      await answered(
        api.DELETE('/management/v1/orgs/me/members/{userId}', { params: { ...header, path: { userId } } }),
      ),
  };
}

function inTheInstance(): Scope {
  type Roles = Sent<'/admin/v1/members', 'post'>['roles'];
  return {
    key: ['members', 'instance'],
    roles: ALL.filter((role) => role.startsWith('IAM_')),
    find: async (search) => await answered(api.POST('/admin/v1/members/_search', { body: bodyOf(search) })),
    add: async (userId, roles) =>
      await answered(api.POST('/admin/v1/members', { body: { userId, roles: roles as Roles } })),
    replace: async (userId, roles, sequence) =>
      (await answered(
        api.PUT('/admin/v1/members/{userId}', {
          params: { path: { userId }, ...(sequence !== undefined && { header: ifMatch(sequence) }) },
          body: { roles: roles as Roles },
        }),
      )) as unknown as Given,
    remove: async (userId) =>
      await answered(api.DELETE('/admin/v1/members/{userId}', { params: { path: { userId } } })),
  };
}

/** Who manages an organization. */
export function MembersPage() {
  const { org = '' } = useParams({ strict: false });
  const may = useMay(org);
  return (
    <Members
      scope={inThisOrganization(org)}
      lead={t.leadOrganization}
      org={org}
      mayWrite={may('org.member.write')}
    />
  );
}

/** Who manages the instance. */
export function InstanceMembersPage() {
  const may = useMayInInstance();
  return <Members scope={inTheInstance()} lead={t.leadInstance} mayWrite={may('iam.member.write')} />;
}

interface MembersProperties {
  readonly scope: Scope;
  readonly lead: string;
  /** Users are found there; without one, by their id. */
  readonly org?: string;
  readonly mayWrite: boolean;
}

function namesOf(roles: Member['roles']): string {
  return roles.map((role) => t.names[role].label).join(', ');
}

function Members({ scope, lead, org, mayWrite }: MembersProperties) {
  const [{ search, role: asked }] = useFilters();
  const role = scope.roles.find((known) => known === asked);
  const { sorting, sorted } = useSorting(ORDERS);
  const pages = usePagesByCursor<Member>(
    [...scope.key, { search, role }],
    async (cursor) => await scope.find({ search, role, sorted, cursor }),
    { sorted },
  );
  const columns: readonly Column<Member>[] = [
    {
      label: s.list.name,
      sort: 'name',
      cell: (member) => <Who member={member} org={org} />,
    },
    { label: t.roles, cell: ({ roles }) => namesOf(roles), wide: true },
    {
      label: s.list.created,
      sort: 'created',
      cell: ({ details }) => since(details.creationDate),
      wide: 'widest',
      width: 140,
    },
    { label: s.list.changed, cell: ({ details }) => since(details.changeDate), wide: true, width: 150 },
    ...(mayWrite
      ? [
          {
            label: s.list.actions,
            width: 260,
            cell: (member: Member) => <MemberActions scope={scope} member={member} />,
          },
        ]
      : []),
  ];
  return (
    <div className="console-page">
      <PageHead
        title={t.title}
        lead={lead}
        actions={mayWrite && <RolesDialog scope={scope} {...(org !== undefined && { org })} />}
      />
      <Group mb="md" gap="sm">
        <SearchField label={t.search} />
        <ChoiceFilter
          name="role"
          label={t.role}
          choices={scope.roles.map((known) => [known, t.names[known].label])}
        />
      </Group>
      <List
        label={t.title}
        columns={columns}
        {...pages}
        sorting={sorting}
        keyOf={({ userId }) => userId}
        empty={<EmptyList filters={['search', 'role']} title={t.empty.title} text={t.empty.text} />}
      />
    </div>
  );
}

/** Whoever holds roles, as lists of people call them; leading to their page where the visitor may see them. */
function Who({ member, org }: { readonly member: Member; readonly org: string | undefined }) {
  const { userId: user, displayName, preferredLoginName, userType, userResourceOwner, roles } = member;
  const maySee = useMay(userResourceOwner)('user.read');
  const isService = userType === 'TYPE_MACHINE';
  const isOther = org !== undefined && userResourceOwner !== org;
  const kind = [...(isService ? [t.service] : []), ...(isOther ? [t.other] : [])].join(', ');
  return (
    <>
      {maySee ? (
        <AppLink
          className="row-link"
          to={isService ? '/orgs/$org/service-users/$user' : '/orgs/$org/users/$user'}
          params={{ org: userResourceOwner, user }}
        >
          {displayName}
        </AppLink>
      ) : (
        <Text span fw={600}>
          {displayName}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        <LoginName>{preferredLoginName}</LoginName>
      </Text>
      {kind !== '' && (
        <Text size="sm" c="dimmed">
          {kind}
        </Text>
      )}
      <Text size="sm" c="dimmed" hiddenFrom="sm">
        {namesOf(roles)}
      </Text>
    </>
  );
}

function MemberActions({ scope, member }: { readonly scope: Scope; readonly member: Member }) {
  const remove = useAct({
    call: async () => await scope.remove(member.userId),
    stale: [scope.key, ['me', 'permissions']],
    done: t.removed,
  });
  return (
    <Flex gap="xs" className="above" direction={{ base: 'column', sm: 'row' }} align="flex-start">
      <RolesDialog scope={scope} member={member} />
      <Confirm
        danger
        variant="subtle"
        size="xs"
        inRow
        label={t.remove}
        title={`${t.remove}: ${member.displayName}`}
        text={t.removeText}
        isWorking={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
    </Flex>
  );
}

interface RolesDialogProperties {
  readonly scope: Scope;
  /** Whose roles are changed; without one somebody new is chosen. */
  readonly member?: Member;
  readonly org?: string;
}

interface RolesDraft {
  readonly userId: string;
  readonly roles: readonly string[];
  /** Of the roles as they were shown: a change of somebody else's since then is not overwritten. */
  readonly sequence?: string | undefined;
}

function draftOf(member: Member | undefined): RolesDraft {
  return { userId: '', roles: member?.roles ?? [], sequence: member?.details.sequence };
}

/** One of them. Nothing but the list tells about members. */
async function findMember({ find }: Scope, userId: string): Promise<Member | undefined> {
  return (await wholeOf(find)).find((other) => other.userId === userId);
}

function RolesDialog({ scope, member, org }: RolesDialogProperties) {
  const dialog = useDialogDraft<RolesDraft>(() => draftOf(member));
  const { opened, draft, setDraft } = dialog;
  const { userId, roles } = draft;
  const who = member?.userId ?? userId.trim();
  const give = useAct({
    call: async (sequence: string | undefined) =>
      await (member === undefined
        ? scope.add(who, roles as readonly Role[])
        : scope.replace(who, roles as readonly Role[], sequence)),
    stale: [scope.key, ['me', 'permissions']],
    done: ({ endedCredentials = [] }) =>
      endedCredentials.length === 0 ? t.given : say(t.ended, { count: endedCredentials.length }),
    quiet: true,
    onDone: dialog.end,
  });
  const conflict = useConflict({
    save: give,
    draft,
    onDraft: setDraft,
    theirs: async () => draftOf(await findMember(scope, who)),
    onOverwrite: () => give.mutate(undefined),
  });
  // who is led to a fresh sign-in finds the dialog as they left it
  useDraft<RolesDraft>([...scope.key, member?.userId ?? 'new'].join('.'), draft, opened, dialog.restore);
  function start(): void {
    if (!dialog.isDirty) conflict.begin();
    dialog.open();
  }
  const mayGo = who !== '' && roles.length > 0;
  const title = member === undefined ? t.add : `${t.change}: ${member.displayName}`;
  function choose(chosen: string): void {
    setDraft((old) => ({ ...old, userId: chosen }));
  }
  return (
    <>
      <Button
        size={member === undefined ? 'sm' : 'xs'}
        variant={member === undefined ? 'filled' : 'subtle'}
        {...(member !== undefined && { 'aria-label': title })}
        onClick={start}
      >
        {member === undefined ? t.add : t.change}
      </Button>
      <FormDialog
        title={title}
        opened={opened}
        isDirty={dialog.isDirty}
        onClose={dialog.close}
        onDiscard={dialog.end}
        notice={conflict.notice}
        onSubmit={(event) => {
          event.preventDefault();
          if (mayGo) give.mutate(draft.sequence);
        }}
        submit={member === undefined ? t.give : t.save}
        isWorking={give.isPending}
        mayGo={mayGo}
      >
        {member === undefined &&
          (org === undefined ? (
            <TextInput
              label={t.findInstance}
              description={t.findInstanceHelp}
              required
              value={userId}
              onChange={({ currentTarget }) => choose(currentTarget.value)}
            />
          ) : (
            <UserChoice org={org} value={userId} onChange={choose} />
          ))}
        <Checkbox.Group
          label={t.roles}
          value={[...roles]}
          onChange={(chosen) => setDraft((old) => ({ ...old, roles: chosen }))}
        >
          <Stack gap="sm" mt="xs">
            {scope.roles.map((role) => (
              <Checkbox
                key={role}
                value={role}
                label={t.names[role].label}
                description={t.names[role].help}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      </FormDialog>
    </>
  );
}

interface UserChoiceProperties {
  readonly org: string;
  readonly value: string;
  readonly onChange: (userId: string) => void;
}

function UserChoice({ org, value, onChange }: UserChoiceProperties) {
  const { wanted, ...search } = useTyped();
  const { data = [] } = useQuery({
    queryKey: ['users', org, 'choice', wanted],
    queryFn: async () => (await findUsers(org, { search: wanted, limit: 20 })).result,
    refetchInterval: untilThere,
    placeholderData: keepPreviousData,
  });
  const chosen = useUserName(org, value === '' ? undefined : value);
  const found = data.map((user) => ({
    value: user.id,
    label: `${nameOf(user)} (${user.preferredLoginName})`,
  }));
  return (
    <FoundSelect
      label={t.find}
      description={t.findHelp}
      required
      search={search}
      found={found}
      value={value}
      chosen={chosen}
      onChange={onChange}
      comboboxProps={{ withinPortal: true }}
    />
  );
}
