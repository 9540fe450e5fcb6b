import { Button, Code, Group, NumberInput, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import de from '../../../locales/console/de/organizations.json';
import en from '../../../locales/console/en/organizations.json';
import { answered, api, inOrganization, type Answered } from '../api/client.ts';
import { dayOf, words } from '../app/words.ts';
import { Expiry, expiryOf, LifetimeSelect, type Lifetime } from '../credentials/expiry.tsx';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { Failure } from '../shared/failure.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { Copy, Secret } from '../shared/secret.tsx';
import { Section } from '../shared/section.tsx';

const t = words({ en, de }).registration;

type Token = NonNullable<Answered<'/management/v1/orgs/me/initial_access_tokens', 'get'>['result']>[number];

interface InitialAccessTokensProperties {
  readonly org: string;
  readonly mayWrite: boolean;
}

/** Where applications register; nothing where the instance does not let them. */
async function registrationEndpoint(): Promise<string | null> {
  const discovery = await fetch('/.well-known/openid-configuration');
  if (!discovery.ok) return null;
  const { registration_endpoint: endpoint } = (await discovery.json()) as { registration_endpoint?: string };
  return endpoint ?? null;
}

/** The tokens by which applications register themselves with a project of the organization. */
export function InitialAccessTokens({ org, mayWrite }: InitialAccessTokensProperties) {
  const endpoint = useQuery({ queryKey: ['registration-endpoint'], queryFn: registrationEndpoint });
  if (typeof endpoint.data !== 'string') return null;
  return <Tokens org={org} mayWrite={mayWrite} endpoint={endpoint.data} />;
}

function Tokens({ org, mayWrite, endpoint }: InitialAccessTokensProperties & { readonly endpoint: string }) {
  const queryKey = ['organizations', org, 'initial-access-tokens'];
  const [isAdding, setAdding] = useState(false);
  const [token, setToken] = useState<string>();
  const list = useQuery({
    queryKey,
    queryFn: async () =>
      (
        await answered(
          api.GET('/management/v1/orgs/me/initial_access_tokens', { params: inOrganization(org) }),
        )
      ).result ?? [],
  });
  return (
    <Section
      title={t.title}
      lead={t.lead}
      action={
        mayWrite && (
          <Button variant="default" onClick={() => setAdding(true)}>
            {t.add}
          </Button>
        )
      }
    >
      <Stack gap="xs" mb="md">
        <Text size="sm">{t.address}</Text>
        <Group gap="xs">
          <Code style={{ overflowWrap: 'anywhere' }}>{endpoint}</Code>
          <Copy value={endpoint} />
        </Group>
      </Stack>
      {token !== undefined && <Secret title={t.made} value={token} />}
      {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.data?.length === 0 && <Text c="dimmed">{t.none}</Text>}
      {list.data !== undefined && list.data.length > 0 && (
        <Table aria-label={t.title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.name}</Table.Th>
              <Table.Th>{t.uses}</Table.Th>
              <Table.Th visibleFrom="sm">{t.expires}</Table.Th>
              {mayWrite && <Table.Th w={120}>{t.actions}</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {list.data.map((one) => (
              <TokenRow key={one.id} org={org} token={one} queryKey={queryKey} mayWrite={mayWrite} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      {isAdding && (
        <NewToken
          org={org}
          queryKey={queryKey}
          onClose={() => setAdding(false)}
          onMade={(made) => {
            setAdding(false);
            setToken(made);
          }}
        />
      )}
    </Section>
  );
}

interface TokenRowProperties extends InitialAccessTokensProperties {
  readonly token: Token;
  readonly queryKey: readonly string[];
}

function TokenRow({ org, token, queryKey, mayWrite }: TokenRowProperties) {
  const { id, name, uses, mostUses, expirationDate, details } = token;
  const remove = useAct({
    call: async () =>
      await answered(
        api.DELETE('/management/v1/orgs/me/initial_access_tokens/{initialAccessTokenId}', {
          params: { ...inOrganization(org), path: { initialAccessTokenId: id } },
        }),
      ),
    stale: [queryKey],
    done: t.removed,
  });
  return (
    <Table.Tr>
      <Table.Td>
        <Text fw={600}>{name}</Text>
        <Text size="sm" c="dimmed">
          {t.since} {dayOf(details.creationDate ?? '')}
        </Text>
      </Table.Td>
      <Table.Td>
        {uses} {t.usesOf} {mostUses}
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Expiry at={expirationDate} />
      </Table.Td>
      {mayWrite && (
        <Table.Td>
          <Confirm
            danger
            variant="subtle"
            size="xs"
            label={t.remove}
            title={`${t.remove}: ${name}`}
            text={t.removeText}
            isWorking={remove.isPending}
            onConfirm={() => remove.mutate()}
          />
        </Table.Td>
      )}
    </Table.Tr>
  );
}

interface NewValues {
  readonly name: string;
  readonly projectId: string;
  readonly mostUses: number;
  readonly lifetime: Lifetime;
}

interface NewTokenProperties {
  readonly org: string;
  readonly queryKey: readonly string[];
  readonly onClose: () => void;
  readonly onMade: (token: string) => void;
}

function NewToken({ org, queryKey, onClose, onMade }: NewTokenProperties) {
  const form = useForm<NewValues>({
    mode: 'controlled',
    initialValues: { name: '', projectId: '', mostUses: 1, lifetime: '30' },
  });
  const projects = useQuery({
    queryKey: ['projects', org, 'of-registration'],
    queryFn: async () =>
      (
        await answered(
          api.POST('/management/v1/projects/_search', {
            params: inOrganization(org),
            body: { query: { limit: 1000 } },
          }),
        )
      ).result ?? [],
  });
  const add = useAct({
    call: async ({ name, projectId, mostUses, lifetime }: NewValues) =>
      await answered(
        api.POST('/management/v1/orgs/me/initial_access_tokens', {
          params: inOrganization(org),
          body: { name: name.trim(), projectId, mostUses, ...expiryOf(lifetime) },
        }),
      ),
    stale: [queryKey],
    quiet: true,
    onDone: (made) => onMade(made.token),
  });
  return (
    <FormDialog
      title={t.add}
      opened
      onClose={onClose}
      notice={add.error && <Failure error={add.error} />}
      onSubmit={form.onSubmit((values) => add.mutate(values))}
      submit={t.submit}
      isWorking={add.isPending}
    >
      <TextInput
        label={t.name}
        description={t.nameHelp}
        required
        maxLength={200}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Select
        label={t.project}
        description={t.projectHelp}
        required
        searchable
        data={(projects.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={form.values.projectId === '' ? null : form.values.projectId}
        onChange={(id) => form.setFieldValue('projectId', id ?? '')}
      />
      <NumberInput
        label={t.mostUses}
        description={t.mostUsesHelp}
        required
        min={1}
        max={100_000}
        allowDecimal={false}
        {...form.getInputProps('mostUses')}
      />
      <LifetimeSelect
        value={form.values.lifetime}
        onChange={(lifetime) => form.setFieldValue('lifetime', lifetime)}
      />
    </FormDialog>
  );
}
