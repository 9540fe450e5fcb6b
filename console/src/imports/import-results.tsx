import { Button, Group, SegmentedControl, Stack, Table, Text } from '@mantine/core';
import de from '../../../locales/console/de/imports.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/imports.json';
import shared from '../../../locales/console/en/shared.json';
import { numberOf, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Failure } from '../shared/failure.tsx';
import { useFilters } from '../shared/filters-in-address.ts';
import { AppLink } from '../shared/links.tsx';
import { LoadingRows } from '../shared/loading.tsx';
import { More } from '../shared/more.tsx';
import { usePagesByCursor } from '../shared/pages.ts';
import { saveStream } from '../shared/save-stream.ts';
import { Section } from '../shared/section.tsx';
import { SortHead, useSorting, type Orders, type Sorting } from '../shared/sorting.tsx';
import { State } from '../shared/state.tsx';
import { useSteps } from '../shared/steps.ts';
import {
  findRecords,
  isOver,
  OUTCOME_STATES,
  OUTCOMES,
  readResults,
  settledOf,
  type Import,
  type Outcome,
  type OutcomeKind,
} from './imports.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });
const BY_LINE: Orders = { line: undefined };

interface ResultsProperties {
  readonly org: string;
  readonly job: Import;
}

/** What became of single records. The failed ones stand first: whoever comes here mostly comes for them. */
export function ImportResults({ org, job }: ResultsProperties) {
  const [{ outcome }, setFilters] = useFilters();
  const { sorting, sorted } = useSorting(BY_LINE, { usual: 'line', oldestFirst: true });
  const usual = job.counts.failed > 0 ? 'failed' : 'all';
  const shown = outcome === 'all' || OUTCOMES.some((one) => one === outcome) ? outcome : usual;
  const kinds = shown === 'all' ? [] : [shown as OutcomeKind];
  const pages = usePagesByCursor<Outcome>(
    ['imports', org, 'results', job.id, { shown }],
    async (cursor) => await findRecords(org, job.id, kinds, { asc: sorted.asc, cursor }),
    {
      sorted,
      isEnabled: settledOf(job) > 0,
      growth: { isOngoing: !isOver(job) && job.state !== 'paused', count: settledOf(job) },
    },
  );
  const save = useAct({
    call: async (format: 'csv' | 'ndjson') => {
      const asked = { format, ...(kinds.length > 0 && { outcome: kinds.join(',') }) };
      await saveStream(await readResults(org, job.id, asked), `import-${job.id}-${shown ?? 'all'}.${format}`);
    },
    stale: [],
  });
  const { rows } = pages;
  const { visible, hasMore, onMore } = useSteps(rows ?? [], pages);
  return (
    <Section title={t.results.title} lead={t.results.lead}>
      {settledOf(job) === 0 ? (
        <Text c="dimmed">{isOver(job) ? t.results.none : t.results.later}</Text>
      ) : (
        <Stack gap="sm">
          <Group justify="space-between">
            <SegmentedControl
              aria-label={t.results.show}
              value={shown ?? usual}
              onChange={(value) => setFilters({ outcome: value })}
              data={[
                { value: 'all', label: s.list.all },
                ...OUTCOMES.map((value) => ({
                  value,
                  label: `${OUTCOME_STATES[value].label} ${numberOf(job.counts[value])}`,
                })),
              ]}
              style={{ maxWidth: '100%', overflowX: 'auto' }}
            />
            <Group gap="xs">
              {(['csv', 'ndjson'] as const).map((format) => (
                <Button
                  key={format}
                  size="xs"
                  variant="default"
                  loading={save.isPending && save.variables === format}
                  onClick={() => save.mutate(format)}
                >
                  {t.results[format]}
                </Button>
              ))}
            </Group>
          </Group>
          {pages.error !== null && (
            <Failure error={pages.error} onRetry={pages.onRetry} stays={rows !== undefined} />
          )}
          {rows === undefined && pages.error === null && <LoadingRows rows={3} />}
          {rows?.length === 0 && <Text c="dimmed">{t.results.none}</Text>}
          {rows !== undefined && rows.length > 0 && (
            <>
              <OutcomeTable org={org} rows={visible} isOneKind={kinds.length > 0} sorting={sorting} />
              <More {...pages} shown={visible.length} hasMore={hasMore} onMore={onMore} />
            </>
          )}
        </Stack>
      )}
    </Section>
  );
}

const CODES: Readonly<Partial<Record<string, string>>> = t.results.codes;

/** The service words some faults as ZITADEL does: what counts stands at their end. */
function detailOf(message: string): string {
  return (
    message
      .split(' | caused by: ')
      .at(-1)
      ?.replace(/^invalid [\w.]+: /, '') ?? message
  );
}

interface OutcomeTableProperties {
  readonly org: string;
  readonly rows: readonly Outcome[];
  /** What became of them is said above. */
  readonly isOneKind?: boolean;
  /** Where the whole list has an order. */
  readonly sorting?: Sorting;
}

export function OutcomeTable({ org, rows, isOneKind = false, sorting }: OutcomeTableProperties) {
  // nothing stands there where all went well
  const hasReasons = rows.some(({ code, message }) => code !== undefined || message !== undefined);
  const hasUsers = rows.some(({ userId, givenId }) => userId !== undefined || givenId !== undefined);
  return (
    <Table.ScrollContainer minWidth={300} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label={t.results.title} verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {sorting === undefined ? (
              <Table.Th w={{ sm: 90 }}>{t.results.line}</Table.Th>
            ) : (
              <SortHead sorting={sorting} by="line" label={t.results.line} w={{ sm: 90 }} />
            )}
            {!isOneKind && <Table.Th w={{ sm: 150 }}>{t.results.outcome}</Table.Th>}
            {hasReasons && <Table.Th>{t.results.why}</Table.Th>}
            {hasUsers && <Table.Th w={{ sm: 160 }}>{t.results.user}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={`${row.line}-${row.type ?? ''}`}>
              <Table.Td>{numberOf(row.line)}</Table.Td>
              {!isOneKind && (
                <Table.Td>
                  <State {...OUTCOME_STATES[row.outcome]} />
                </Table.Td>
              )}
              {hasReasons && (
                <Table.Td style={{ overflowWrap: 'anywhere', minWidth: '8rem' }}>
                  {row.code !== undefined && (CODES[row.code] ?? row.code)}
                  {row.message !== undefined && (
                    <Text size="sm" c="dimmed">
                      {row.path !== undefined && (
                        <Text span ff="monospace" size="sm" c="var(--mantine-color-text)">
                          {row.path}:{' '}
                        </Text>
                      )}
                      {detailOf(row.message)}
                    </Text>
                  )}
                </Table.Td>
              )}
              {hasUsers && (
                <Table.Td style={{ whiteSpace: row.userId === undefined ? undefined : 'nowrap' }}>
                  {row.userId === undefined ? (
                    row.givenId
                  ) : (
                    <AppLink size="sm" to="/orgs/$org/users/$user" params={{ org, user: row.userId }}>
                      {t.results.open}
                    </AppLink>
                  )}
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
