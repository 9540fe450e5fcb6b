import { Button, Code, Group, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import de from '../../../locales/console/de/organizations.json';
import en from '../../../locales/console/en/organizations.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { dayOf, words } from '../app/words.ts';
import { Expiry, LifetimeSelect, type Lifetime } from '../credentials/expiry.tsx';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { Failure } from '../shared/failure.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { Unread } from '../shared/found.tsx';
import { LoadingRows } from '../shared/loading.tsx';
import { Copy, Secret } from '../shared/secret.tsx';
import { Section } from '../shared/section.tsx';

const t = words({ en, de }).tokens;

interface OrganizationToken {
  readonly id: string;
  readonly name: string;
  readonly expirationDate: string;
  readonly details: { readonly creationDate?: string | undefined };
}

/** What every kind of them is made with. */
// oxlint-disable-next-line typescript/consistent-type-definitions -- forms take records, which an interface is not
export type NewTokenValues = {
  readonly name: string;
  readonly projectId: string;
  readonly lifetime: Lifetime;
};

interface Kind<Token extends OrganizationToken, Values extends NewTokenValues> {
  readonly org: string;
  readonly mayWrite: boolean;
  /** Names the kind: its lists are kept by it. */
  readonly kind: string;
  /** Where those go who have one. */
  readonly address: string;
  readonly words: Readonly<
    Record<
      'title' | 'lead' | 'address' | 'add' | 'made' | 'nameHelp' | 'project' | 'projectHelp' | 'removeText',
      string
    >
  >;
  readonly find: () => Promise<readonly Token[]>;
  readonly add: (values: Values) => Promise<{ readonly token: string }>;
  readonly remove: (id: string) => Promise<unknown>;
  /** What is known of one beside its name and its end. On a phone both stand below the name. */
  readonly column: {
    readonly label: string;
    readonly cell: (token: Token) => string;
  };
  readonly remarkOf?: (token: Token) => string | undefined;
  readonly initial: Values;
  /** What stands for no project; without it one is needed. */
  readonly noProject?: string;
  /** The kind's own, between the project and the lifetime. */
  readonly fields: (form: UseFormReturnType<Values>) => ReactNode;
}

/** Tokens of an organization, of one kind: made and shown once, listed, removed. */
export function OrganizationTokens<Token extends OrganizationToken, Values extends NewTokenValues>(
  kind: Kind<Token, Values>,
) {
  const { org, mayWrite, address, column, words: k } = kind;
  const [isAdding, setAdding] = useState(false);
  const [token, setToken] = useState<string>();
  const queryKey = keyOf(kind);
  const list = useQuery({ queryKey, queryFn: async () => await kind.find() });
  return (
    <Section
      title={k.title}
      lead={k.lead}
      action={
        mayWrite && (
          <Button variant="default" onClick={() => setAdding(true)}>
            {k.add}
          </Button>
        )
      }
    >
      <Stack gap="xs" mb="md">
        <Text size="sm">{k.address}</Text>
        <Group gap="xs">
          <Code style={{ overflowWrap: 'anywhere' }}>{address}</Code>
          <Copy value={address} />
        </Group>
      </Stack>
      {token !== undefined && <Secret title={k.made} value={token} />}
      <Unread found={list} />
      {list.data === undefined && !list.error && <LoadingRows rows={1} />}
      {list.data?.length === 0 && <Text c="dimmed">{t.none}</Text>}
      {list.data !== undefined && list.data.length > 0 && (
        <Table aria-label={k.title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.name}</Table.Th>
              <Table.Th visibleFrom="sm">{column.label}</Table.Th>
              <Table.Th visibleFrom="sm">{t.expires}</Table.Th>
              {mayWrite && <Table.Th w={120}>{t.actions}</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {list.data.map((one) => (
              <TokenRow key={one.id} kind={kind} token={one} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      {mayWrite && (
        <NewToken
          org={org}
          kind={kind}
          opened={isAdding}
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

function keyOf({ org, kind }: { readonly org: string; readonly kind: string }) {
  return ['organizations', org, kind];
}

interface TokenRowProperties<Token extends OrganizationToken, Values extends NewTokenValues> {
  readonly kind: Kind<Token, Values>;
  readonly token: Token;
}

function TokenRow<Token extends OrganizationToken, Values extends NewTokenValues>({
  kind,
  token,
}: TokenRowProperties<Token, Values>) {
  const { column } = kind;
  const remark = kind.remarkOf?.(token);
  const remove = useAct({
    call: async () => await kind.remove(token.id),
    stale: [keyOf(kind)],
    done: t.removed,
  });
  return (
    <Table.Tr>
      <Table.Td>
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {token.name}
        </Text>
        <Text size="sm" c="dimmed">
          {t.since} {dayOf(token.details.creationDate ?? '')}
          {remark !== undefined && ` · ${remark}`}
        </Text>
        <Text size="sm" c="dimmed" hiddenFrom="sm">
          {column.label}: {column.cell(token)}
        </Text>
        <Text size="sm" c="dimmed" hiddenFrom="sm">
          {t.expires}: <Expiry at={token.expirationDate} />
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">{column.cell(token)}</Table.Td>
      <Table.Td visibleFrom="sm">
        <Expiry at={token.expirationDate} />
      </Table.Td>
      {kind.mayWrite && (
        <Table.Td>
          <Confirm
            danger
            variant="subtle"
            size="xs"
            label={t.remove}
            title={`${t.remove}: ${token.name}`}
            text={kind.words.removeText}
            isWorking={remove.isPending}
            onConfirm={() => remove.mutate()}
          />
        </Table.Td>
      )}
    </Table.Tr>
  );
}

interface NewTokenProperties<Token extends OrganizationToken, Values extends NewTokenValues> {
  readonly org: string;
  readonly kind: Kind<Token, Values>;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onMade: (token: string) => void;
}

function NewToken<Token extends OrganizationToken, Values extends NewTokenValues>({
  org,
  kind,
  opened,
  onClose,
  onMade,
}: NewTokenProperties<Token, Values>) {
  const { words: k, noProject } = kind;
  const form = useForm<NewTokenValues & Values>({ mode: 'controlled', initialValues: kind.initial });
  const projects = useQuery({
    queryKey: ['projects', org, 'of-tokens'],
    queryFn: async () =>
      (
        await answered(
          api.POST('/management/v1/projects/_search', {
            params: inOrganization(org),
            body: { query: { limit: 1000 } },
          }),
        )
      ).result ?? [],
    enabled: opened,
  });
  const add = useAct({
    call: async (values: Values) => await kind.add({ ...values, name: values.name.trim() }),
    stale: [keyOf(kind)],
    quiet: true,
    // what was typed for it
    stays: true,
    onDone: (made) => {
      form.reset();
      onMade(made.token);
    },
  });
  return (
    <FormDialog
      title={k.add}
      opened={opened}
      isDirty={form.isDirty()}
      onClose={onClose}
      onDiscard={() => {
        form.reset();
        add.reset();
        onClose();
      }}
      notice={add.error && <Failure error={add.error} stays />}
      onSubmit={form.onSubmit((values) => add.mutate(values))}
      submit={t.submit}
      isWorking={add.isPending}
    >
      <TextInput
        label={t.name}
        description={k.nameHelp}
        required
        maxLength={200}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Select
        label={k.project}
        description={k.projectHelp}
        searchable
        {...(noProject === undefined ? { required: true } : { placeholder: noProject, clearable: true })}
        data={(projects.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        {...form.getInputProps('projectId')}
        value={form.values.projectId === '' ? null : form.values.projectId}
        onChange={(id) => set('projectId', id ?? '')}
      />
      {kind.fields(form)}
      <LifetimeSelect value={form.values.lifetime} onChange={(lifetime) => set('lifetime', lifetime)} />
    </FormDialog>
  );

  /** Of the fields that all kinds have. */
  function set<Field extends keyof NewTokenValues>(field: Field, value: NewTokenValues[Field]): void {
    form.setValues((old) => ({ ...old, [field]: value }));
  }
}
