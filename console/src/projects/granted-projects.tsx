import { Box, Text, Title } from '@mantine/core';
import de from '../../../locales/console/de/projects.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/projects.json';
import shared from '../../../locales/console/en/shared.json';
import { since, words } from '../app/words.ts';
import { Failure } from '../shared/failure.tsx';
import { AppLink } from '../shared/links.tsx';
import { List, type Column } from '../shared/list.tsx';
import { usePagesByCursor } from '../shared/pages.ts';
import { useSorting } from '../shared/sorting.tsx';
import { State } from '../shared/state.tsx';
import { findGrantedProjects, GRANT_STATES, GRANTED_ORDERS, type ProjectGrant } from './projects.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

interface GrantedProjectsProperties {
  readonly org: string;
  readonly search: string | undefined;
  readonly state: string | undefined;
}

/** Projects of other organizations that this one may use. Nothing where there are none: most have none. */
export function GrantedProjects({ org, search, state }: GrantedProjectsProperties) {
  const { sorting, sorted } = useSorting(GRANTED_ORDERS, { parameter: 'sort-granted', oldestFirst: true });
  const pages = usePagesByCursor(
    ['projects', org, 'granted', { search, state }],
    async (cursor) => await findGrantedProjects(org, { search, state, sorted, cursor }),
    { sorted },
  );
  if (pages.rows === undefined)
    return pages.error ? <Failure error={pages.error} onRetry={pages.onRetry} /> : null;
  if (pages.rows.length === 0) return null;
  return (
    <Box component="section" mt="xl" aria-label={t.granted.title}>
      <Title order={2} size="h4">
        {t.granted.title}
      </Title>
      <Text c="dimmed" size="sm" mb="md">
        {t.granted.lead}{' '}
        <AppLink inherit to="/orgs/$org/users" params={{ org }}>
          {t.granted.toUsers}
        </AppLink>
      </Text>
      <List
        label={t.granted.title}
        columns={COLUMNS}
        {...pages}
        sorting={sorting}
        keyOf={({ grantId }) => grantId}
        empty={null}
      />
    </Box>
  );
}

const COLUMNS: readonly Column<ProjectGrant>[] = [
  { label: s.list.name, sort: 'name', cell: ({ projectName }) => projectName },
  { label: t.granted.owner, cell: ({ projectOwnerName }) => projectOwnerName },
  {
    label: t.grants.roles,
    cell: ({ grantedRoleKeys = [] }) =>
      grantedRoleKeys.length === 0 ? t.grants.noRoles : grantedRoleKeys.join(', '),
  },
  { label: s.list.state, cell: ({ state }) => <State {...GRANT_STATES[state]} />, width: 130 },
  {
    label: s.list.created,
    sort: 'created',
    cell: ({ details }) => since(details.creationDate),
    wide: 'widest',
    width: 150,
  },
  { label: s.list.changed, cell: ({ details }) => since(details.changeDate), wide: true, width: 160 },
];
