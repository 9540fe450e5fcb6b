import { Group } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/projects.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/projects.json';
import shared from '../../../locales/console/en/shared.json';
import { useMay } from '../app/permissions.ts';
import { since, words } from '../app/words.ts';
import { useFilters } from '../shared/filters-in-address.ts';
import { AppLink, ButtonLink } from '../shared/links.tsx';
import { EmptyList, List, SearchField, StateFilter, type Column } from '../shared/list.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { usePagesByCursor } from '../shared/pages.ts';
import { useSorting } from '../shared/sorting.tsx';
import { State } from '../shared/state.tsx';
import { GrantedProjects } from './granted-projects.tsx';
import { findProjects, PROJECT_ORDERS, PROJECT_STATES, type Project } from './projects.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

/** The projects of an organization. */
export function ProjectsPage() {
  const { org = '' } = useParams({ strict: false });
  const may = useMay(org);
  const [{ search, state }] = useFilters();
  const { sorting, sorted } = useSorting(PROJECT_ORDERS, { oldestFirst: true });
  const pages = usePagesByCursor<Project>(
    ['projects', org, 'list', { search, state }],
    async (cursor) => await findProjects(org, { search, state, sorted, cursor }),
    { sorted },
  );
  const add = may('project.write') && (
    <ButtonLink to="/orgs/$org/projects/new" params={{ org }}>
      {t.add}
    </ButtonLink>
  );
  return (
    <div className="console-page">
      <PageHead title={t.title} lead={t.lead} actions={add} />
      <Group mb="md" gap="sm">
        <SearchField label={t.search} />
        <StateFilter states={Object.entries(PROJECT_STATES).map(([value, { label }]) => [value, label])} />
      </Group>
      <List
        label={t.title}
        columns={columns(org)}
        {...pages}
        sorting={sorting}
        keyOf={({ id }) => id}
        empty={
          <EmptyList filters={['search', 'state']} title={t.empty.title} text={t.empty.text} action={add} />
        }
      />
      <GrantedProjects org={org} search={search} state={state} />
    </div>
  );
}

function columns(org: string): readonly Column<Project>[] {
  return [
    {
      label: s.list.name,
      sort: 'name',
      cell: ({ id, name }) => (
        <AppLink className="row-link" to="/orgs/$org/projects/$project" params={{ org, project: id }}>
          {name}
        </AppLink>
      ),
    },
    { label: s.list.state, cell: ({ state }) => <State {...PROJECT_STATES[state]} />, width: 140 },
    {
      label: s.list.created,
      sort: 'created',
      cell: ({ details }) => since(details.creationDate),
      wide: 'widest',
      width: 150,
    },
    { label: s.list.changed, cell: ({ details }) => since(details.changeDate), wide: true, width: 160 },
  ];
}
