import { Alert, Box, Group, List as MantineList, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import de from '../../../locales/console/de/keys.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/keys.json';
import sharedEn from '../../../locales/console/en/shared.json';
import { answered, api, type Answered } from '../api/client.ts';
import { useMayInInstance, type May } from '../app/permissions.ts';
import { momentOf, numberOf, say, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { Decision } from '../shared/decision.tsx';
import { inWords, roughly } from '../shared/durations.ts';
import { Found } from '../shared/found.tsx';
import { Empty, List, type Column } from '../shared/list.tsx';
import { LoadingRows } from '../shared/loading.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { Facts, Section } from '../shared/section.tsx';
import { State, type Tone } from '../shared/state.tsx';
import { timeOf, useSortedRows } from '../shared/whole-list.ts';
import { KeyTimeline, labelOf, type Key, type Takeover } from './key-timeline.tsx';
import { ScheduleForm } from './schedule-form.tsx';

const t = words({ en, de });
const s = words({ en: sharedEn, de: sharedDe });

const STATES: Readonly<Record<Key['state'], { readonly label: string; readonly tone: Tone }>> = {
  STATE_INITIAL: { label: t.states.initial, tone: 'warning' },
  STATE_ACTIVE: { label: t.states.active, tone: 'good' },
  STATE_INACTIVE: { label: t.states.inactive, tone: 'quiet' },
  STATE_REMOVED: { label: t.states.removed, tone: 'bad' },
};

/** What tokens are signed with: what signs now, what comes next, and what is only good for checking. */
export function KeysPage() {
  const may = useMayInInstance();
  const list = useQuery({
    queryKey: ['keys'],
    queryFn: async () =>
      (await answered(api.GET('/admin/v1/keys', { params: { query: { limit: '100' } } }))).result ?? [],
  });
  const schedule = useQuery({
    queryKey: ['keys', 'schedule'],
    queryFn: async () => await answered(api.GET('/admin/v1/keys/schedule')),
  });
  const { rows, sorting } = useSortedRows(list.data, {
    algorithm: ({ algorithm }) => labelOf(algorithm),
    state: ({ state }) => Object.keys(STATES).indexOf(state),
    from: ({ activeSince, activatesAt }) => timeOf(activeSince ?? activatesAt),
    until: ({ inactiveSince }) => timeOf(inactiveSince),
    removable: ({ removedAt, removableAt }) => timeOf(removedAt ?? removableAt),
  });
  const rotate = useAct({
    call: async () => await answered(api.POST('/admin/v1/keys/_rotate', { body: {} })),
    stale: [['keys']],
    done: t.rotated,
  });
  return (
    <div className="console-page">
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={
          may('iam.web_key.write') && (
            <Confirm
              label={t.rotate}
              title={t.rotate}
              text={
                <Found found={schedule} loading={<LoadingRows rows={1} />}>
                  {({ leadTime }) => say(t.rotateText, { lead: inWords(leadTime) })}
                </Found>
              }
              variant="filled"
              isWorking={rotate.isPending}
              onConfirm={() => rotate.mutate()}
            />
          )
        }
      />
      <Section title={t.schedule} lead={scheduleText(schedule.data)}>
        <Found found={schedule} loading={<LoadingRows rows={3} />}>
          {(found) => (
            <>
              <Facts facts={found.takeovers.map(nextChange)} />
              {list.data !== undefined && <KeyTimeline keys={list.data} takeovers={found.takeovers} />}
              {may('iam.web_key.write') && <ScheduleForm schedule={found} />}
            </>
          )}
        </Found>
      </Section>
      <List
        label={t.title}
        columns={columnsFor(may, list.data ?? [])}
        rows={rows}
        sorting={sorting}
        keyOf={({ id }) => id}
        error={list.error}
        onRetry={() => void list.refetch()}
        empty={<Empty title={t.empty.title} text={t.empty.text} />}
      />
      {may('iam.web_key.write') && (
        <Box mt="lg">
          <Emergency keys={list.data ?? []} />
        </Box>
      )}
    </div>
  );
}

/** Whether there is something that the visitor can do with a key. */
function canActOn({ state }: Key, may: May): boolean {
  return (
    may('iam.web_key.write') &&
    (state === 'STATE_INITIAL' || (state === 'STATE_INACTIVE' && may('iam.web_key.delete')))
  );
}

function columnsFor(may: May, keys: readonly Key[]): readonly Column<Key>[] {
  return [
    {
      label: t.key,
      sort: 'algorithm',
      cell: ({ id, algorithm }) => (
        <>
          <Text fw={600}>{labelOf(algorithm)}</Text>
          <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {id}
          </Text>
        </>
      ),
    },
    {
      label: t.state,
      sort: 'state',
      sortWords: t.stateOrder,
      cell: ({ state }) => <State {...STATES[state]} />,
      width: 220,
    },
    {
      label: t.from,
      sort: 'from',
      sortWords: s.list.timeOrder,
      cell: ({ activeSince, activatesAt }) => momentOf(activeSince ?? activatesAt),
      wide: true,
    },
    {
      label: t.until,
      sort: 'until',
      sortWords: s.list.timeOrder,
      cell: ({ inactiveSince }) => momentOf(inactiveSince),
      wide: true,
    },
    {
      label: t.removable,
      sort: 'removable',
      sortWords: s.list.timeOrder,
      cell: ({ removedAt, removableAt }) => momentOf(removedAt ?? removableAt),
      wide: true,
    },
    ...(keys.some((key) => canActOn(key, may))
      ? [{ label: s.list.actions, cell: (key: Key) => <KeyActions signingKey={key} may={may} />, width: 200 }]
      : []),
  ];
}

interface KeyActionsProperties {
  readonly signingKey: Key;
  readonly may: May;
}

function KeyActions({ signingKey: { id, algorithm, state }, may }: KeyActionsProperties) {
  const name = `${labelOf(algorithm)} ${id}`;
  const params = { path: { id } };
  const activate = useAct({
    call: async () => await answered(api.POST('/admin/v1/keys/{id}/_activate', { params })),
    stale: [['keys']],
    done: t.activated,
  });
  const remove = useAct({
    call: async () => await answered(api.DELETE('/admin/v1/keys/{id}', { params })),
    stale: [['keys']],
    done: t.removed,
  });
  return (
    <Group gap="xs">
      {state === 'STATE_INITIAL' && (
        <Confirm
          size="xs"
          inRow
          label={t.activate}
          title={`${t.activate}: ${name}`}
          text={t.activateText}
          isWorking={activate.isPending}
          onConfirm={() => activate.mutate()}
        />
      )}
      {state === 'STATE_INACTIVE' && may('iam.web_key.delete') && (
        <Confirm
          size="xs"
          inRow
          label={t.remove}
          title={`${t.remove}: ${name}`}
          text={t.removeText}
          isWorking={remove.isPending}
          onConfirm={() => remove.mutate()}
        />
      )}
    </Group>
  );
}

/** What it does is said, with numbers, before it can be done; and that the old key has to be removed after it. */
function Emergency({ keys }: { readonly keys: readonly Key[] }) {
  const signing = keys.filter(({ state }) => state === 'STATE_ACTIVE').map((key) => key.algorithm);
  // whoever copied one key has mostly copied all
  const [algorithm, setAlgorithm] = useState<Key['algorithm'] | 'all'>('all');
  const rotate = useAct({
    call: async () => {
      const body = { emergency: true, confirm: true, algorithm };
      return await answered(api.POST('/admin/v1/keys/_rotate', { body }));
    },
    stale: [['keys']],
    done: ({ skipped = [] }) => (skipped.length > 0 ? t.replacedSome : t.replaced),
  });
  const { skipped = [] } = rotate.data ?? {};
  return (
    <Decision
      danger
      title={t.emergency}
      lead={t.emergencyLead}
      label={t.emergency}
      text={
        <Stack gap="xs">
          {signing.length > 1 && (
            <NativeSelect
              label={t.emergencyKey}
              value={algorithm}
              data={[
                { value: 'all', label: t.emergencyAll },
                ...signing.map((value) => ({ value, label: labelOf(value) })),
              ]}
              onChange={({ currentTarget: { value } }) =>
                setAlgorithm(signing.find((one) => one === value) ?? 'all')
              }
            />
          )}
          <Text>{t.emergencyText}</Text>
          <Touched />
        </Stack>
      }
      word={t.emergencyWord}
      isWorking={rotate.isPending}
      onConfirm={() => rotate.mutate()}
    >
      {skipped.length > 0 && (
        <Alert color="red" variant="light" title={t.skippedTitle}>
          {skipped.map((left) => (
            <Text key={left.algorithm}>{skippedText(left)}</Text>
          ))}
        </Alert>
      )}
    </Decision>
  );
}

type Skipped = NonNullable<Answered<'/admin/v1/keys/_rotate', 'post'>['skipped']>[number];

function skippedText({ algorithm, retryAfterSeconds }: Skipped): string {
  const name = { algorithm: labelOf(algorithm) };
  return retryAfterSeconds === undefined
    ? say(t.skippedFull, name)
    : say(t.skippedJustNow, { ...name, seconds: retryAfterSeconds });
}

/** Whom it touches, read when the question is asked. What could not be read is said: it is not nobody. */
function Touched() {
  const query = { limit: '5' };
  const touched = useQuery({
    queryKey: ['keys', 'touched'],
    queryFn: async () =>
      await Promise.all([
        answered(api.GET('/admin/v1/keys/affected', { params: { query } })),
        answered(api.GET('/admin/v1/keys/readers', { params: { query: { limit: '1' } } })),
      ]),
  });
  return (
    <Found found={touched} loading={<LoadingRows rows={2} />}>
      {([{ details, result = [] }, readers]) => {
        const applications = Number(details.totalResult);
        // of the grants that were not counted nobody knows whose they are
        const isMore = details.hasMoreThanTotal === true || result.some((one) => one.hasMoreGrants === true);
        const more = applications - result.length;
        const known = Number(readers.details.totalResult);
        return (
          <>
            <Text>
              {isMore
                ? say(t.emergencyAffectedMore, { applications })
                : say(t.emergencyAffected, { applications })}
            </Text>
            {result.length > 0 && (
              <MantineList size="sm">
                {result.map(({ id, name, grants, hasMoreGrants }) => (
                  <MantineList.Item key={id}>
                    {hasMoreGrants === true
                      ? say(t.emergencyApplicationMore, { name, grants })
                      : say(t.emergencyApplication, { name, grants })}
                  </MantineList.Item>
                ))}
                {more > 0 && (
                  <MantineList.Item>
                    {isMore
                      ? say(t.emergencyMoreYet, { more: numberOf(more) })
                      : say(t.emergencyMore, { more })}
                  </MantineList.Item>
                )}
              </MantineList>
            )}
            <Text>
              {readers.details.hasMoreThanTotal === true
                ? say(t.emergencyReadersMore, { readers: numberOf(known) })
                : say(t.emergencyReaders, { readers: known })}
            </Text>
          </>
        );
      }}
    </Found>
  );
}

/** Minutes that a worker may take to see to it. */
const LATE_MS = 10 * 60_000;

function nextChange({ algorithm, id, publishedAt, activatesAt }: Takeover): readonly [string, string] {
  const times = { published: momentOf(publishedAt), signs: momentOf(activatesAt) };
  const due = new Date(id === undefined ? publishedAt : activatesAt).getTime();
  if (due < Date.now() - LATE_MS)
    return [labelOf(algorithm), say(t.overdue, { due: momentOf(new Date(due).toISOString()) })];
  return [labelOf(algorithm), say(algorithm === 'opaque' ? t.nextOpaque : t.nextChange, times)];
}

function scheduleText(schedule: Answered<'/admin/v1/keys/schedule', 'get'> | undefined): string {
  if (schedule === undefined) return '';
  const { rotationPeriod, effectiveRotationPeriod, leadTime } = schedule;
  if (rotationPeriod === '0s') return t.scheduleNever;
  if (effectiveRotationPeriod !== rotationPeriod) {
    const period = roughly(effectiveRotationPeriod);
    return say(t.scheduleStretched, { period, saved: inWords(rotationPeriod), lead: inWords(leadTime) });
  }
  return say(t.scheduleText, { period: inWords(rotationPeriod), lead: inWords(leadTime) });
}
