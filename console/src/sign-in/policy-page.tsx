import { Group, Stack, Table, Text } from '@mantine/core';
import type { FormErrors, UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import de from '../../../locales/console/de/sign-in.json';
import en from '../../../locales/console/en/sign-in.json';
import { useMay } from '../app/permissions.ts';
import { say, since, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { Unread } from '../shared/found.tsx';
import { LoadingRows } from '../shared/loading.tsx';
import { Facts, Section } from '../shared/section.tsx';
import { SettingsForm } from '../shared/settings-form.tsx';
import { State } from '../shared/state.tsx';
import { policyKey, type Held, type PolicyKind } from './policies.ts';
import { SignInFrame } from './sign-in-frame.tsx';

const t = words({ en, de });

export interface FieldsProperties<Policy, Values> {
  readonly form: UseFormReturnType<Values>;
  readonly inherited: Policy;
  readonly source: string;
}

interface PolicyPageProperties<Policy, Body, Values> {
  readonly kind: PolicyKind<Policy, Body>;
  readonly valuesOf: (held: Held<Policy>) => Values;
  readonly bodyOf: (values: Values, held: Held<Policy>) => Body;
  readonly validate?: (values: Values, held: Held<Policy>) => FormErrors;
  readonly fields: (properties: FieldsProperties<Policy, Values>) => ReactNode;
}

/** One policy: whose it is, its fields, and the way back to what would hold without it. */
export function PolicyPage<Policy, Body, Values extends Record<string, unknown>>({
  kind,
  valuesOf,
  bodyOf,
  validate,
  fields,
}: PolicyPageProperties<Policy, Body, Values>) {
  const { org = '' } = useParams({ strict: false });
  const may = useMay(org);
  const key = policyKey(org, kind.name);
  const found = useQuery({ queryKey: key, queryFn: async () => await kind.find(org) });
  const { title, lead } = t[kind.name];
  const held = found.data;
  return (
    <SignInFrame title={title} lead={lead}>
      <Unread found={found} />
      {held === undefined && !found.error && <LoadingRows rows={4} />}
      {held !== undefined && (
        <>
          <Origin org={org} kind={kind} held={held} mayChange={may('policy.write')} />
          {may('policy.write') ? (
            <SettingsForm<Values>
              name={key.join('.')}
              initial={valuesOf(held)}
              {...(validate !== undefined && { validate: (values) => validate(values, held) })}
              sequence={held.details.sequence}
              save={async (values, sequence) => await kind.replace(org, bodyOf(values, held), sequence)}
              stale={[key]}
              done={t.saved}
            >
              {(form) => fields({ form, inherited: held.inherited, source: kind.source })}
            </SettingsForm>
          ) : (
            <Section title={title}>
              <Facts facts={kind.facts(held.policy, held.names)} />
            </Section>
          )}
        </>
      )}
    </SignInFrame>
  );
}

interface OriginProperties<Policy, Body> {
  readonly org: string;
  readonly kind: PolicyKind<Policy, Body>;
  readonly held: Held<Policy>;
  readonly mayChange: boolean;
}

function Origin<Policy, Body>({ org, kind, held, mayChange }: OriginProperties<Policy, Body>) {
  const reset = useAct({
    // on top of what the question shows
    call: async () => await kind.reset(org, held.details.sequence),
    stale: [policyKey(org, kind.name)],
    done: t.origin.done,
  });
  const { source } = kind;
  if (held.isDefault) {
    return (
      <Group className="origin" gap="sm" mb="md" maw={640} wrap="nowrap" align="flex-start">
        <State tone="quiet" label={source} />
        <Text size="sm" c="dimmed">
          {mayChange ? t.origin.inherited : t.origin.inheritedToRead}
        </Text>
      </Group>
    );
  }
  return (
    <Group className="origin" gap="sm" mb="md" maw={640} justify="space-between">
      <Group gap="sm">
        <State tone="good" label={t.origin.own} />
        <Text size="sm" c="dimmed">
          {say(t.origin.changed, { when: since(held.details.changeDate) })}
        </Text>
      </Group>
      {mayChange && (
        <Confirm
          label={kind.source === t.sources.instance ? t.origin.resetInstance : t.origin.resetService}
          title={kind.source === t.sources.instance ? t.origin.resetInstance : t.origin.resetService}
          size="xs"
          text={<ResetText kind={kind} held={held} />}
          isWorking={reset.isPending}
          onConfirm={() => reset.mutate()}
        />
      )}
    </Group>
  );
}

/** What would change, before it does. */
function ResetText<Policy, Body>({
  kind,
  held,
}: {
  readonly kind: PolicyKind<Policy, Body>;
  readonly held: Held<Policy>;
}) {
  const after = new Map(kind.facts(held.inherited, held.names));
  const changes = kind.facts(held.policy, held.names).filter(([label, value]) => after.get(label) !== value);
  return (
    <Stack gap="sm">
      <Text>{t.origin.resetText}</Text>
      {changes.length === 0 ? (
        <Text>{t.origin.same}</Text>
      ) : (
        <Table aria-label={t.origin.changes}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.origin.setting}</Table.Th>
              <Table.Th>{t.origin.now}</Table.Th>
              <Table.Th>{t.origin.then}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {changes.map(([label, value]) => (
              <Table.Tr key={label}>
                <Table.Td>{label}</Table.Td>
                <Table.Td>{value}</Table.Td>
                <Table.Td fw={600}>{after.get(label)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}
