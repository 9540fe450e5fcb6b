import { Button, Group, Menu, Modal, Paper, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import sharedDe from '../../../locales/console/de/shared.json';
import de from '../../../locales/console/de/users.json';
import shared from '../../../locales/console/en/shared.json';
import en from '../../../locales/console/en/users.json';
import { answered, api, inOrganization, type Answered } from '../api/client.ts';
import { useMay } from '../app/permissions.ts';
import { every } from '../app/queries.ts';
import { numberOf, say, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { Found } from '../shared/found.tsx';
import { State, type Tone } from '../shared/state.tsx';
import { BulkFailures } from './bulk-failures.tsx';
import type { User } from './users.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });
const LOOK_AGAIN_MS = 1000;

type BulkAction = Answered<'/management/v1/users/_bulk/{bulkActionId}', 'get'>['bulkAction'];
type Kind = BulkAction['action'];

const ACTIONS = Object.keys(t.bulk.actions) as readonly Kind[];
const STATES: Readonly<Record<BulkAction['state'], Tone>> = {
  running: 'warning',
  done: 'good',
  cancelled: 'quiet',
};

/** The filters of the list, as the action takes them. */
interface Matching {
  readonly type: 'TYPE_HUMAN';
  readonly search?: string;
  readonly state?: User['state'];
}

interface BulkBarProperties {
  readonly org: string;
  readonly chosen: ReadonlySet<string>;
  /** How many fit the filters, of whom all can be chosen; undefined where they are too many. */
  readonly matching: number | undefined;
  readonly isAll: boolean;
  readonly filters: Matching;
  readonly onAll: () => void;
  readonly onClear: () => void;
  readonly onBegun: (id: string) => void;
}

/** What can be done to the users that are ticked, or to all that fit the filters. */
export function BulkBar(properties: BulkBarProperties) {
  const { org, chosen, matching, isAll, filters, onAll, onClear, onBegun } = properties;
  const [action, setAction] = useState<Kind>();
  const count = isAll ? (matching ?? 0) : chosen.size;
  const begin = useAct({
    call: async (kind: Kind) =>
      await answered(
        api.POST('/management/v1/users/_bulk', {
          params: inOrganization(org),
          body: {
            action: kind,
            ...(isAll ? { matching: filters, expected: count } : { userIds: [...chosen] }),
          },
        }),
      ),
    // read again where others fit by now, so that it is asked again with their number
    stale: [['users', org, 'list']],
    onDone: ({ id }) => {
      onClear();
      onBegun(id);
    },
  });
  if (count === 0) return null;
  return (
    <Paper component="section" aria-label={t.bulk.chosen} p="sm" mb="md">
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <Text fw={600} aria-live="polite">
            {say(t.bulk.count, { count })}
          </Text>
          {!isAll && matching !== undefined && matching > chosen.size && (
            <Button variant="subtle" size="compact-sm" onClick={onAll}>
              {say(t.bulk.all, { count: numberOf(matching) })}
            </Button>
          )}
          <Button variant="subtle" size="compact-sm" onClick={onClear}>
            {t.bulk.clear}
          </Button>
        </Group>
        <Menu position="bottom-end">
          <Menu.Target>
            <Button loading={begin.isPending}>{t.bulk.act}</Button>
          </Menu.Target>
          <Menu.Dropdown>
            {ACTIONS.map((kind) => (
              <Menu.Item
                key={kind}
                {...(kind === 'delete' && { c: 'var(--danger)' })}
                onClick={() => setAction(kind)}
              >
                {t.bulk.actions[kind].label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </Group>
      <Question
        action={action}
        count={count}
        onClose={() => setAction(undefined)}
        onConfirm={(kind) => {
          setAction(undefined);
          begin.mutate(kind);
        }}
      />
    </Paper>
  );
}

interface QuestionProperties {
  readonly action: Kind | undefined;
  readonly count: number;
  readonly onClose: () => void;
  readonly onConfirm: (kind: Kind) => void;
}

/** What will happen, before it does; the number is typed where nothing brings it back. */
function Question({ action, count, onClose, onConfirm }: QuestionProperties) {
  const [typed, setTyped] = useState('');
  useEffect(() => setTyped(''), [action]);
  const isDeletion = action === 'delete';
  const mayGo = !isDeletion || typed.trim() === String(count);
  return (
    <Modal
      opened={action !== undefined}
      onClose={onClose}
      title={action && say(t.bulk.title, { action: t.bulk.actions[action].label, count })}
      closeButtonProps={{ 'aria-label': s.confirm.close }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (mayGo && action !== undefined) onConfirm(action);
        }}
      >
        <Stack>
          <Text>{action && t.bulk.actions[action].text}</Text>
          <Text size="sm" c="dimmed">
            {t.bulk.goesOn}
          </Text>
          {isDeletion && (
            <TextInput
              label={say(s.confirm.type, { word: count })}
              value={typed}
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
              inputMode="numeric"
              autoComplete="off"
              data-autofocus
            />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {s.confirm.cancel}
            </Button>
            <Button type="submit" disabled={!mayGo} {...(isDeletion && { color: 'red' })}>
              {action && t.bulk.actions[action].label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface BulkProgressProperties {
  readonly org: string;
  readonly id: string;
  readonly onClose: () => void;
}

/** How far an action is. It goes on without the page, whose address has it. */
export function BulkProgress({ org, id, onClose }: BulkProgressProperties) {
  const params = { ...inOrganization(org), path: { bulkActionId: id } };
  const found = useQuery({
    queryKey: ['users', org, 'bulk', id],
    queryFn: async () =>
      (await answered(api.GET('/management/v1/users/_bulk/{bulkActionId}', { params }))).bulkAction,
    refetchInterval: (query) =>
      (query.state.data === undefined || query.state.data.state === 'running') && every(LOOK_AGAIN_MS)(query),
  });
  const state = found.data?.state;
  const refresh = useAct({ call: async () => await Promise.resolve(), stale: [['users', org, 'list']] });
  const { mutate } = refresh;
  useEffect(() => {
    if (state !== undefined && state !== 'running') mutate();
  }, [state, mutate]);
  return (
    <Found found={found} loading={null}>
      {(bulk) => <HowFar org={org} id={id} bulk={bulk} onClose={onClose} />}
    </Found>
  );
}

function HowFar({ org, id, bulk, onClose }: BulkProgressProperties & { readonly bulk: BulkAction }) {
  const may = useMay(org);
  const params = { ...inOrganization(org), path: { bulkActionId: id } };
  const cancel = useAct({
    call: async () =>
      await answered(api.POST('/management/v1/users/_bulk/{bulkActionId}/_cancel', { params })),
    stale: [['users', org]],
  });
  const { action, counts, state } = bulk;
  const over = counts.done + counts.failed;
  const { label } = t.bulk.actions[action];
  return (
    <Paper component="section" aria-label={t.bulk.progress} p="lg" mb="md">
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap="sm">
            <Text fw={600}>{say(t.bulk.title, { action: label, count: counts.total })}</Text>
            <State tone={STATES[state]} label={t.bulk.states[state]} />
          </Group>
          {state === 'running' ? (
            may('user.write') && (
              <Confirm
                size="xs"
                label={t.bulk.cancel}
                title={t.bulk.cancel}
                text={t.bulk.cancelText}
                isWorking={cancel.isPending}
                onConfirm={() => cancel.mutate()}
              />
            )
          ) : (
            <Button variant="default" size="xs" onClick={onClose}>
              {t.bulk.close}
            </Button>
          )}
        </Group>
        <Progress
          value={counts.total === 0 ? 0 : (over / counts.total) * 100}
          aria-label={t.bulk.progress}
          {...(counts.failed > 0 && { color: 'yellow' })}
        />
        <Text size="sm" c="dimmed" aria-live="polite">
          {say(t.bulk.counts, {
            done: numberOf(counts.done),
            failed: numberOf(counts.failed),
            total: numberOf(counts.total),
          })}
        </Text>
        {counts.failed > 0 && (
          <BulkFailures org={org} id={id} isRunning={state === 'running'} failed={counts.failed} />
        )}
      </Stack>
    </Paper>
  );
}
