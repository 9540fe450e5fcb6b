import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/applications.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/applications.json';
import shared from '../../../locales/console/en/shared.json';
import { since, words } from '../app/words.ts';
import { AppLink, ButtonLink } from '../shared/links.tsx';
import { Empty, List, type Column } from '../shared/list.tsx';
import { Section } from '../shared/section.tsx';
import { State } from '../shared/state.tsx';
import {
  APPLICATION_STATES,
  clientIdOf,
  findApplications,
  kindOf,
  registrationOf,
  type Application,
} from './applications.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });
const PAGE = 50;

interface ProjectApplicationsProperties {
  readonly org: string;
  readonly project: string;
  readonly mayWrite: boolean;
}

/** The applications of a project. */
export function ProjectApplications({ org, project, mayWrite }: ProjectApplicationsProperties) {
  const list = useInfiniteQuery({
    queryKey: ['applications', org, project, 'list'],
    queryFn: async ({ pageParam }) => await findApplications(org, project, PAGE, pageParam),
    initialPageParam: 0,
    getNextPageParam: (last, all) => ((last.result?.length ?? 0) === PAGE ? all.length * PAGE : undefined),
  });
  const add = mayWrite && (
    <ButtonLink to="/orgs/$org/projects/$project/applications/new" params={{ org, project }}>
      {t.add}
    </ButtonLink>
  );
  const rows = list.data?.pages.flatMap(({ result = [] }) => result);
  return (
    <Section title={t.title} lead={t.lead} action={rows !== undefined && rows.length > 0 && add}>
      <List
        label={t.title}
        columns={columns(org, project)}
        rows={rows}
        keyOf={({ id }) => id}
        error={list.error}
        onRetry={() => void list.refetch()}
        total={list.data?.pages[0]?.details.totalResult ?? '0'}
        hasMore={list.hasNextPage}
        isLoadingMore={list.isFetchingNextPage}
        onMore={() => void list.fetchNextPage()}
        step={5}
        empty={<Empty title={t.empty.title} text={t.empty.text} action={add} />}
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
    { label: s.list.changed, cell: ({ details }) => since(details.changeDate), wide: true, width: 150 },
  ];
}
