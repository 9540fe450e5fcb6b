import { Group, Select, Text } from '@mantine/core';
import de from '../../../locales/console/de/projects.json';
import en from '../../../locales/console/en/projects.json';
import { since, words } from '../app/words.ts';
import { useFilters } from '../shared/filters-in-address.ts';
import { AppLink } from '../shared/links.tsx';
import { EmptyList, List, SearchField, type Column } from '../shared/list.tsx';
import { usePagesByCursor } from '../shared/pages.ts';
import { Section } from '../shared/section.tsx';
import { useSorting } from '../shared/sorting.tsx';
import { State } from '../shared/state.tsx';
import { LoginName } from '../users/login-name.tsx';
import { findHolders, HOLDER_ORDERS, type Holder } from './projects.ts';
import { useRoleChoices } from './role-choices.ts';

const t = words({ en, de });

/** So many are found without filters. */
const FEW = 5;

interface RoleHoldersProperties {
  readonly org: string;
  readonly project: string;
  readonly maySeeUsers: boolean;
}

/** The users of the organization who hold roles of a project. */
export function RoleHolders({ org, project, maySeeUsers }: RoleHoldersProperties) {
  const [{ holder: search, 'holder-role': role }] = useFilters();
  const { sorting, sorted } = useSorting(HOLDER_ORDERS, { parameter: 'sort-holders' });
  const pages = usePagesByCursor<Holder>(
    ['role-holders', org, project, { search, role }],
    async (cursor) => await findHolders(org, project, { search, role, sorted, cursor }),
    { sorted },
  );
  const isFiltered = (search ?? '') !== '' || (role ?? '') !== '';
  const columns: readonly Column<Holder>[] = [
    {
      label: t.holders.user,
      sort: 'name',
      cell: (holder) => <Who org={org} holder={holder} maySee={maySeeUsers} />,
    },
    {
      label: t.holders.roles,
      cell: ({ roleKeys = [], state }) => (
        <>
          {roleKeys.length === 0 ? t.grants.noRoles : roleKeys.join(', ')}
          {state === 'USER_GRANT_STATE_INACTIVE' && <State tone="quiet" label={t.states.inactive} />}
        </>
      ),
    },
    {
      label: t.holders.since,
      sort: 'created',
      cell: ({ details }) => since(details.creationDate),
      wide: true,
      width: 150,
    },
  ];
  // said in one sentence: a phone has room for little
  if (!isFiltered && pages.rows?.length === 0)
    return <Section title={t.holders.title} lead={`${t.holders.noneText} ${t.holders.give}`} />;
  return (
    <Section title={t.holders.title} lead={`${t.holders.lead} ${t.holders.give}`}>
      {(isFiltered || (pages.rows?.length ?? 0) > FEW) && (
        <Group mb="md" gap="sm">
          <SearchField label={t.holders.search} name="holder" />
          <RoleFilter org={org} project={project} />
        </Group>
      )}
      <List
        label={t.holders.title}
        columns={columns}
        {...pages}
        sorting={sorting}
        keyOf={({ id }) => id}
        empty={
          <EmptyList filters={['holder', 'holder-role']} title={t.holders.none} text={t.holders.noneText} />
        }
      />
    </Section>
  );
}

/** By one role of the project, in the address. */
function RoleFilter({ org, project }: Omit<RoleHoldersProperties, 'maySeeUsers'>) {
  const [{ 'holder-role': role = '' }, set] = useFilters();
  const choices = useRoleChoices(org, project);
  const isKnown = role === '' || choices.some(({ value }) => value === role);
  return (
    <Select
      aria-label={t.holders.role}
      placeholder={t.holders.role}
      searchable
      clearable
      value={role === '' ? null : role}
      onChange={(chosen) => set({ 'holder-role': chosen ?? undefined })}
      // of a link to a role that is gone, or before the choices have arrived
      data={isKnown ? choices : [{ value: role, label: role }, ...choices]}
      w={{ base: '100%', sm: 260 }}
    />
  );
}

interface WhoProperties {
  readonly org: string;
  readonly holder: Holder;
  readonly maySee: boolean;
}

/** Leads to where roles are given and taken away. */
function Who({ org, holder, maySee }: WhoProperties) {
  const { userId: user, displayName, preferredLoginName, userType } = holder;
  return (
    <>
      {!maySee && <Text size="sm">{displayName}</Text>}
      {maySee && userType === 'TYPE_MACHINE' && (
        <AppLink size="sm" to="/orgs/$org/service-users/$user" params={{ org, user }}>
          {displayName}
        </AppLink>
      )}
      {maySee && userType === 'TYPE_HUMAN' && (
        <AppLink size="sm" to="/orgs/$org/users/$user/$tab" params={{ org, user, tab: 'roles' }}>
          {displayName}
        </AppLink>
      )}
      <Text size="xs" c="dimmed">
        <LoginName>{preferredLoginName}</LoginName>
      </Text>
    </>
  );
}
