import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import sharedDe from '../../../locales/console/de/shared.json';
import de from '../../../locales/console/de/users.json';
import shared from '../../../locales/console/en/shared.json';
import en from '../../../locales/console/en/users.json';
import { answered, api, inOrganization, type Answered } from '../api/client.ts';
import { say, since, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { List, type Column } from '../shared/list.tsx';
import { Section } from '../shared/section.tsx';
import { timeOf, useSortedRows } from '../shared/whole-list.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

type Factors = Answered<'/management/v1/users/{id}/factors', 'get'>;
type Passkey = NonNullable<Answered<'/management/v1/users/{id}/passkeys', 'get'>['result']>[number];

interface UserFactorsProperties {
  readonly org: string;
  readonly id: string;
  readonly mayWrite: boolean;
  /** Nobody is rid of their own factors here: a stolen token must not be enough. */
  readonly isOwn: boolean;
}

interface Row {
  readonly key: string;
  readonly name: string;
  readonly note?: ReactNode;
  readonly used?: string | undefined;
  readonly remove: () => Promise<unknown>;
}

/** What a user shows besides a password, and how they lose it. */
export function UserFactors({ org, id, mayWrite, isOwn }: UserFactorsProperties) {
  const params = { ...inOrganization(org), path: { id } };
  const stale = [['users', org, id]];
  const list = useQuery({
    queryKey: ['users', org, id, 'factors'],
    queryFn: async () => {
      const [factors, { result }] = await Promise.all([
        answered(api.GET('/management/v1/users/{id}/factors', { params })),
        answered(api.GET('/management/v1/users/{id}/passkeys', { params })),
      ]);
      return { factors, passkeys: result };
    },
  });
  const reset = useAct({
    call: async () => await answered(api.DELETE('/management/v1/users/{id}/factors', { params })),
    stale,
    done: t.factors.resetDone,
  });
  const found = list.data && rowsOf(org, id, list.data.factors, list.data.passkeys);
  const { rows, sorting } = useSortedRows(
    found,
    { kind: ({ name }) => name, used: ({ used }) => timeOf(used) },
    { parameter: 'sort-factors' },
  );
  const recoveryCodes = list.data?.factors.recoveryCodes ?? 0;
  const mayRemove = mayWrite && !isOwn;
  const columns: readonly Column<Row>[] = [
    {
      label: t.factors.kind,
      sort: 'kind',
      cell: ({ name, note }) => (
        <Text component="div" inherit style={{ overflowWrap: 'anywhere' }}>
          {name}
          {note}
        </Text>
      ),
    },
    {
      label: t.factors.used,
      sort: 'used',
      sortWords: s.list.timeOrder,
      cell: ({ used }) => (used === undefined ? t.identities.never : since(used)),
      wide: true,
    },
    ...(mayRemove
      ? [{ label: s.list.actions, width: 120, cell: (row: Row) => <Removal row={row} stale={stale} /> }]
      : []),
  ];
  return (
    <Section
      title={t.sections.factors}
      lead={t.sections.factorsLead}
      action={
        mayRemove &&
        (rows?.length ?? 0) > 0 && (
          <Confirm
            danger
            label={t.factors.reset}
            title={t.factors.reset}
            text={t.factors.resetText}
            isWorking={reset.isPending}
            onConfirm={() => reset.mutate()}
          />
        )
      }
    >
      <List
        label={t.sections.factors}
        columns={columns}
        rows={rows}
        sorting={sorting}
        keyOf={({ key }) => key}
        error={list.error}
        onRetry={() => void list.refetch()}
        isWhole
        empty={<Text c="dimmed">{t.factors.none}</Text>}
      />
      {recoveryCodes > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          {say(t.factors.recovery, { count: recoveryCodes })}
        </Text>
      )}
      {mayWrite && isOwn && (
        <Text size="sm" mt="sm">
          <Anchor href="/account/security">{t.factors.own}</Anchor>
        </Text>
      )}
    </Section>
  );
}

function rowsOf(org: string, id: string, factors: Factors, passkeys: readonly Passkey[]): readonly Row[] {
  const header = inOrganization(org);
  const codes = (kind: 'email' | 'sms'): Row => ({
    key: kind,
    name: t.factors[kind],
    remove: async () =>
      await answered(
        api.DELETE('/management/v1/users/{id}/factors/codes/{kind}', {
          params: { ...header, path: { id, kind } },
        }),
      ),
  });
  return [
    ...(factors.totp
      ? [
          {
            key: 'totp',
            name: t.factors.totp,
            remove: async () =>
              await answered(
                api.DELETE('/management/v1/users/{id}/factors/totp', {
                  params: { ...header, path: { id } },
                }),
              ),
          },
        ]
      : []),
    ...passkeys.map((passkey) => ({
      key: passkey.id,
      name: say(t.factors.passkey, { name: passkey.name }),
      note: <PasskeyNote passkey={passkey} />,
      used: passkey.lastUsedDate,
      remove: async () =>
        await answered(
          api.DELETE('/management/v1/users/{id}/passkeys/{passkeyId}', {
            params: { ...header, path: { id, passkeyId: passkey.id } },
          }),
        ),
    })),
    ...(factors.email ? [codes('email')] : []),
    ...(factors.sms ? [codes('sms')] : []),
  ];
}

function PasskeyNote({ passkey }: { readonly passkey: Passkey }) {
  const notes = [
    passkey.passwordless && t.factors.passwordless,
    passkey.backupEligible && t.factors.copied,
  ].filter((note) => note !== false);
  return (
    <>
      {notes.length > 0 && (
        <Text size="sm" c="dimmed">
          {notes.join(' · ')}
        </Text>
      )}
      {passkey.counterWentBackDate !== undefined && (
        <Text size="sm" c="var(--danger)">
          {t.factors.wentBack}
        </Text>
      )}
    </>
  );
}

function Removal({ row, stale }: { readonly row: Row; readonly stale: readonly string[][] }) {
  const remove = useAct({ call: row.remove, stale, done: t.factors.removed });
  return (
    <Confirm
      danger
      variant="subtle"
      size="xs"
      inRow
      label={t.factors.remove}
      title={`${t.factors.remove}: ${row.name}`}
      text={t.factors.removeText}
      isWorking={remove.isPending}
      onConfirm={() => remove.mutate()}
    />
  );
}
