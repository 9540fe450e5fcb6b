import { Alert, Button, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import de from '../../../locales/console/de/webhooks.json';
import en from '../../../locales/console/en/webhooks.json';
import { every } from '../app/queries.ts';
import { momentOf, say, since, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { useDraft } from '../shared/draft.ts';
import { Failure } from '../shared/failure.tsx';
import { LeaveGuard } from '../shared/leave-guard.tsx';
import { List, type Column } from '../shared/list.tsx';
import { typedMoment } from '../shared/local-time.ts';
import { countedOf } from '../shared/more.tsx';
import type { PagePart } from '../shared/page-parts.ts';
import { usePages } from '../shared/pages.ts';
import { Facts, Section } from '../shared/section.tsx';
import { IN_TIME, useSorting } from '../shared/sorting.tsx';
import type { DeadLetter, Webhook, WebhooksScope, WebhookTest } from './webhooks.ts';

const t = words({ en, de });

interface PartProperties {
  readonly scope: WebhooksScope;
  readonly webhook: Webhook;
  readonly mayWrite?: boolean;
}

/** How it is going, and a ping to see whether it works. */
export function Deliveries({ scope, webhook, mayWrite = false }: PartProperties) {
  const { lastDelivery, failures, lastError, nextAttempt, oldestUndelivered } = webhook;
  const { deadLetters, hasMoreDeadLetters } = webhook;
  const test = useAct({ call: async () => await scope.test(webhook.id), stale: [], quiet: true });
  return (
    <Section
      title={t.status.title}
      lead={t.status.lead}
      action={
        mayWrite && (
          <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
            {t.status.test}
          </Button>
        )
      }
    >
      <Facts
        facts={[
          [t.status.lastDelivery, lastDelivery === undefined ? t.list.never : since(lastDelivery)],
          [t.status.failures, String(failures)],
          [t.status.lastError, lastError],
          [t.status.nextAttempt, nextAttempt === undefined ? undefined : momentOf(nextAttempt)],
          [t.status.oldest, oldestUndelivered === undefined ? t.status.nothing : momentOf(oldestUndelivered)],
          [t.status.deadLetters, countedOf(deadLetters ?? 0, hasMoreDeadLetters)],
        ]}
      />
      {test.error && <Failure error={test.error} />}
      {test.data !== undefined && <Answer test={test.data} />}
    </Section>
  );
}

function Answer({ test: { delivered, status, reason = '', durationMs } }: { readonly test: WebhookTest }) {
  return (
    <Alert color={delivered ? 'green' : 'red'} variant="light" mt="md" role="status">
      <Text fw={600}>{delivered ? t.status.taken : t.status.refused}</Text>
      {status === undefined
        ? say(t.status.silent, { reason })
        : say(t.status.answered, { status, ms: durationMs })}
    </Alert>
  );
}

/** What it did not take after all attempts. */
export function DeadLetters({ scope, webhook, mayWrite = false }: PartProperties) {
  const queryKey = [...scope.key, webhook.id, 'dead-letters'];
  const { sorting, sorted } = useSorting(IN_TIME);
  const find = async (page: PagePart) => await scope.deadLetters(webhook.id, { ...page, asc: sorted.asc });
  const pages = usePages<DeadLetter>(queryKey, find, {
    sorted,
    // as often as the webhook: what is sent again leaves the list, and more may come
    refetchInterval: every(10_000),
  });
  const replay = useAct({
    call: async (ids?: readonly string[]) => await scope.replayDeadLetters(webhook.id, ids),
    stale: [scope.key],
    done: t.done.letters,
  });
  const columns: readonly Column<DeadLetter>[] = [
    {
      label: t.dead.event,
      cell: ({ event }) => <Text style={{ overflowWrap: 'anywhere' }}>{event.type}</Text>,
    },
    {
      label: t.dead.when,
      sort: 'created',
      cell: ({ event }) => since(event.creationDate),
      wide: true,
      width: 160,
    },
    { label: t.dead.reason, cell: ({ reason }) => reason, width: 160 },
    { label: t.dead.attempts, cell: ({ attempts }) => attempts, wide: true, width: 100 },
    ...(mayWrite
      ? [
          {
            label: t.dead.one,
            cell: ({ id, state }: DeadLetter) =>
              state === 'queued' ? (
                t.dead.queued
              ) : (
                <Button
                  size="compact-sm"
                  variant="default"
                  loading={replay.isPending}
                  onClick={() => replay.mutate([id])}
                >
                  {t.dead.one}
                </Button>
              ),
            width: 190,
          },
        ]
      : []),
  ];
  if (pages.rows?.length === 0) return undefined;
  return (
    <Section
      title={t.dead.title}
      lead={t.dead.lead}
      action={
        mayWrite && (
          <Confirm
            label={t.dead.all}
            title={t.dead.all}
            text={say(t.dead.allText, {
              count: countedOf(webhook.deadLetters ?? 0, webhook.hasMoreDeadLetters),
            })}
            isWorking={replay.isPending}
            onConfirm={() => replay.mutate(undefined)}
          />
        )
      }
    >
      <List
        label={t.dead.title}
        columns={columns}
        {...pages}
        isWhole={!pages.hasMore}
        sorting={sorting}
        keyOf={({ id }) => id}
        empty={t.dead.none}
      />
    </Section>
  );
}

/** Sends what happened since a time once more. */
export function Replay({ scope, webhook }: PartProperties) {
  const [typed, setTyped] = useState('');
  const from = typedMoment(typed);
  const isPast = from !== undefined && from < new Date();
  const replay = useAct({
    call: async (since: string) => await scope.replay(webhook.id, since),
    stale: [scope.key],
    done: t.done.replayed,
    onDone: () => setTyped(''),
  });
  const isDirty = typed.trim() !== '';
  useDraft(`webhook-replay-${webhook.id}`, typed, isDirty, setTyped);
  return (
    <Section title={t.replay.title} lead={t.replay.lead}>
      <LeaveGuard isDirty={isDirty} isSaving={replay.isPending} overFilters />
      <Group align="flex-end" gap="sm">
        <TextInput
          label={t.replay.from}
          description={t.replay.fromHelp}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          error={typed !== '' && !isPast && t.replay.wrong}
          w={{ base: '100%', sm: 320 }}
        />
        <Confirm
          label={t.replay.act}
          title={t.replay.title}
          text={say(t.replay.text, { from: momentOf(from?.toISOString()) })}
          disabled={!isPast}
          isWorking={replay.isPending}
          onConfirm={() => from && replay.mutate(from.toISOString())}
        />
      </Group>
    </Section>
  );
}
