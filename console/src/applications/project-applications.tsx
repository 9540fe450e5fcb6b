import { Group, Text } from '@mantine/core';
import de from '../../../locales/console/de/applications.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/applications.json';
import shared from '../../../locales/console/en/shared.json';
import { since, words } from '../app/words.ts';
import { useFilters } from '../shared/filters-in-address.ts';
import { AppLink, ButtonLink } from '../shared/links.tsx';
import { ChoiceFilter, EmptyList, List, SearchField, StateFilter, type Column } from '../shared/list.tsx';
import { usePagesByCursor } from '../shared/pages.ts';
import { Section } from '../shared/section.tsx';
import { useSorting } from '../shared/sorting.tsx';
import { State } from '../shared/state.tsx';
import {
  APPLICATION_ORDERS,
  APPLICATION_STATES,
  APPLICATION_TYPES,
  clientIdOf,
  findApplications,
  kindOf,
  registrationOf,
  type Application,
} from './applications.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });
/** So many are found without a search. */
const FEW = 5;

interface ProjectApplicationsProperties {
  readonly org: string;
  readonly project: string;
  readonly mayWrite: boolean;
}

/** The applications of a project. */
export function ProjectApplications({ org, project, mayWrite }: ProjectApplicationsProperties) {
  const [{ app: search, 'app-state': state, 'app-type': type }] = useFilters();
  const isFiltered = [search, state, type].some((value) => (value ?? '') !== '');
  const { sorting, sorted } = useSorting(APPLICATION_ORDERS, { oldestFirst: true });
  const pages = usePagesByCursor<Application>(
    ['applications', org, project, 'list', { search, state, type }],
    async (cursor) => await findApplications(org, project, { search, state, type, sorted, cursor }),
    { sorted },
  );
  const add = mayWrite && (
    <ButtonLink to="/orgs/$org/projects/$project/applications/new" params={{ org, project }}>
      {t.add}
    </ButtonLink>
  );
  const count = pages.rows?.length ?? 0;
  return (
    <Section title={t.title} lead={t.lead} action={(count > 0 || isFiltered) && add}>
      {(count > FEW || isFiltered) && (
        <Group mb="md" gap="sm">
          <SearchField label={t.search} name="app" />
          <ChoiceFilter
            name="app-type"
            label={t.type}
            choices={Object.entries(APPLICATION_TYPES).map(([value, kind]) => [value, t.kinds[kind].name])}
          />
          <StateFilter
            name="app-state"
            states={Object.entries(APPLICATION_STATES).map(([value, { label }]) => [value, label])}
          />
        </Group>
      )}
      <List
        label={t.title}
        columns={columns(org, project)}
        {...pages}
        {...(count > 1 && { sorting })}
        keyOf={({ id }) => id}
        step={5}
        empty={
          <EmptyList
            filters={['app', 'app-state', 'app-type']}
            title={t.empty.title}
            text={t.empty.text}
            action={add}
          />
        }
      />
    </Section>
  );
}

/** Marks one that nobody here has made. */
function Registered({ app }: { readonly app: Application }) {
  const registered = registrationOf(app);
  if (registered === undefined) return null;
  return (
    <Text size="sm" c="dimmed">
      {registered}
    </Text>
  );
}

function columns(org: string, project: string): readonly Column<Application>[] {
  return [
    {
      label: s.list.name,
      sort: 'name',
      cell: (app) => (
        <>
          <AppLink
            className="row-link"
            to="/orgs/$org/projects/$project/applications/$app/{-$part}"
            params={{ org, project, app: app.id }}
          >
            {app.name}
          </AppLink>
          <Text size="sm" c="dimmed">
            {t.kinds[kindOf(app)].name}
          </Text>
          <Registered app={app} />
        </>
      ),
    },
    {
      label: t.clientId,
      cell: (app) => (
        <Text span size="sm" ff="monospace">
          {clientIdOf(app)}
        </Text>
      ),
      wide: true,
    },
    {
      label: s.list.state,
      cell: ({ state, oidcConfig }) =>
        oidcConfig?.noneCompliant === true && state === 'APP_STATE_ACTIVE' ? (
          <State tone="warning" label={t.states.problems} />
        ) : (
          <State {...APPLICATION_STATES[state]} />
        ),
      width: 160,
    },
    {
      label: s.list.created,
      sort: 'created',
      cell: ({ details }) => since(details.creationDate),
      wide: 'widest',
      width: 140,
    },
    { label: s.list.changed, cell: ({ details }) => since(details.changeDate), wide: true, width: 150 },
  ];
}
