import { Badge, Group, Progress, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/imports.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/imports.json';
import shared from '../../../locales/console/en/shared.json';
import { useMay } from '../app/permissions.ts';
import { every } from '../app/queries.ts';
import { numberOf, say, since, words } from '../app/words.ts';
import { useFilters } from '../shared/filters-in-address.ts';
import { AppLink, ButtonLink } from '../shared/links.tsx';
import { EmptyList, List, StateFilter, type Column } from '../shared/list.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { usePagesByCursor } from '../shared/pages.ts';
import { IN_TIME, useSorting } from '../shared/sorting.tsx';
import { State } from '../shared/state.tsx';
import { IMPORT_STATES, isOver, listImports, nameOf, percentOf, stateOf, type Import } from './imports.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });
const LOOK_AGAIN_MS = 3000;

/** The imports of an organization: those that go on, and earlier ones. */
export function ImportsPage() {
  const { org = '' } = useParams({ strict: false });
  const may = useMay(org);
  const [{ state }] = useFilters();
  const { sorting, sorted } = useSorting(IN_TIME);
  const pages = usePagesByCursor<Import>(
    ['imports', org, 'list', { state }],
    async (cursor) => await listImports(org, { state, asc: sorted.asc, cursor }),
    {
      sorted,
      refetchInterval: (query) =>
        query.state.data?.pages.some(({ result = [] }) => result.some((job) => !isOver(job))) === true &&
        every(LOOK_AGAIN_MS)(query),
    },
  );
  const add = may('user.import') && (
    <ButtonLink to="/orgs/$org/imports/new" params={{ org }}>
      {t.new}
    </ButtonLink>
  );
  return (
    <div className="console-page">
      <PageHead title={t.title} lead={t.lead} actions={add} />
      <Group mb="md" gap="sm">
        <StateFilter states={Object.entries(IMPORT_STATES).map(([value, { label }]) => [value, label])} />
      </Group>
      <List
        label={t.title}
        columns={columns(org)}
        {...pages}
        sorting={sorting}
        keyOf={({ id }) => id}
        empty={<EmptyList filters={['state']} title={t.empty.title} text={t.empty.text} action={add} />}
      />
    </div>
  );
}

function columns(org: string): readonly Column<Import>[] {
  return [
    {
      label: t.columns.file,
      cell: (job) => (
        <Group gap="xs">
          <AppLink
            className="row-link"
            to="/orgs/$org/imports/$importId"
            params={{ org, importId: job.id }}
            style={{ overflowWrap: 'anywhere' }}
          >
            {nameOf(job)}
          </AppLink>
          {job.dryRun && (
            <Badge c="var(--mantine-color-dimmed)" bg="var(--sunken)">
              {t.dryRun}
            </Badge>
          )}
        </Group>
      ),
    },
    { label: s.list.state, cell: (job) => <StateOf job={job} />, width: 190 },
    {
      label: t.columns.records,
      cell: ({ counts: { total } }) => (total === undefined ? '' : numberOf(total)),
      wide: true,
      width: 120,
    },
    { label: t.columns.result, cell: resultOf, wide: true, width: 230 },
    {
      label: t.columns.begun,
      sort: 'created',
      cell: ({ details }) => since(details.creationDate),
      wide: true,
      width: 160,
    },
  ];
}

function StateOf({ job }: { readonly job: Import }) {
  const percent = percentOf(job);
  const { label } = IMPORT_STATES[job.state];
  if (isOver(job) || percent === undefined) return <State {...stateOf(job)} />;
  return (
    <>
      <Text size="sm">
        {label}, {percent} %
      </Text>
      <Progress value={percent} size="sm" aria-label={label} />
    </>
  );
}

function resultOf({ counts: { created, updated, skipped, failed } }: Import): string {
  const done = numberOf(created + updated + skipped);
  return say(t.result, { done, failed: numberOf(failed) });
}
