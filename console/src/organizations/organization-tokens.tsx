import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import credentialsDe from '../../../locales/console/de/credentials.json';
import de from '../../../locales/console/de/organizations.json';
import sharedDe from '../../../locales/console/de/shared.json';
import credentials from '../../../locales/console/en/credentials.json';
import en from '../../../locales/console/en/organizations.json';
import shared from '../../../locales/console/en/shared.json';
import { dayOf, momentOf, words } from '../app/words.ts';
import { Expiry, LifetimeSelect, type Lifetime } from '../credentials/expiry.tsx';
import { findProjects } from '../projects/projects.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { Failure } from '../shared/failure.tsx';
import { useFilters } from '../shared/filters-in-address.ts';
import { FormDialog } from '../shared/form-dialog.tsx';
import { FoundSelect, useTyped } from '../shared/found-select.tsx';
import { Unread } from '../shared/found.tsx';
import { List, SearchField, StateFilter, type Column } from '../shared/list.tsx';
import type { CursorPage } from '../shared/page-parts.ts';
import { usePagesByCursor } from '../shared/pages.ts';
import { chosen, inQuery, type ListSearch } from '../shared/search-body.ts';
import { Copy, Secret } from '../shared/secret.tsx';
import { Section } from '../shared/section.tsx';
import { useSorting } from '../shared/sorting.tsx';

const t = words({ en, de }).tokens;
const c = words({ en: credentials, de: credentialsDe });
const s = words({ en: shared, de: sharedDe });

/** So many are looked through without a filter. */
const FEW = 5;

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

/** Of a kind, as the API calls what its list is put in order and filtered by. */
type TokenWire = 'SCIM_TOKEN' | 'INITIAL_ACCESS_TOKEN';

interface TokenSearch extends ListSearch {
  readonly state: string | undefined;
}

/** As it stands in the address of a call. */
export function tokensQuery<Wire extends TokenWire>(wire: Wire, search: TokenSearch) {
  const state = chosen(search.state, statesOf(wire));
  return {
    ...inQuery<`${Wire}_FIELD_NAME_${'NAME' | 'EXPIRATION_DATE'}`>(search),
    ...(state !== undefined && { state }),
  };
}

function statesOf<Wire extends TokenWire>(wire: Wire) {
  return {
    [`${wire}_STATE_ACTIVE`]: c.states.active,
    [`${wire}_STATE_EXPIRED`]: c.states.expired,
  } as Readonly<Record<`${Wire}_STATE_${'ACTIVE' | 'EXPIRED'}`, string>>;
}

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
  readonly find: (search: TokenSearch) => Promise<CursorPage<Token>>;
  /** What the API calls its orders and states by. */
  readonly wire: TokenWire;
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
  const { org, mayWrite, address, words: k } = kind;
  const [isAdding, setAdding] = useState(false);
  const [token, setToken] = useState<string>();
  const [filters] = useFilters();
  const search = filters[kind.kind];
  const state = filters[`${kind.kind}-state`];
  const { sorting, sorted } = useSorting(
    {
      name: `${kind.wire}_FIELD_NAME_NAME`,
      expires: `${kind.wire}_FIELD_NAME_EXPIRATION_DATE`,
      created: undefined,
    },
    { parameter: `sort-${kind.kind}` },
  );
  const pages = usePagesByCursor<Token>(
    [...keyOf(kind), { search, state }],
    async (cursor) => await kind.find({ search, state, sorted, cursor }),
    { sorted },
  );
  const isFiltered = (search ?? '') !== '' || (state ?? '') !== '';
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
      {(isFiltered || (pages.rows?.length ?? 0) > FEW) && (
        <Group mb="md" gap="sm">
          <SearchField label={t.search} name={kind.kind} />
          <StateFilter name={`${kind.kind}-state`} states={Object.entries<string>(statesOf(kind.wire))} />
        </Group>
      )}
      <List
        label={k.title}
        columns={columnsOf(kind)}
        {...pages}
        isWhole={!pages.hasMore}
        sorting={sorting}
        keyOf={({ id }) => id}
        empty={<Text c="dimmed">{isFiltered ? s.list.nothingFits : t.none}</Text>}
      />
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

function columnsOf<Token extends OrganizationToken, Values extends NewTokenValues>(
  kind: Kind<Token, Values>,
): readonly Column<Token>[] {
  const { column } = kind;
  return [
    { label: t.name, sort: 'name', cell: (token) => <Name kind={kind} token={token} /> },
    {
      label: s.list.created,
      sort: 'created',
      cell: ({ details }) => momentOf(details.creationDate),
      wide: 'widest',
    },
    { label: column.label, cell: column.cell, wide: true },
    {
      label: t.expires,
      sort: 'expires',
      sortWords: c.expiryOrder,
      cell: ({ expirationDate }) => <Expiry at={expirationDate} />,
      wide: true,
    },
    ...(kind.mayWrite
      ? [{ label: t.actions, width: 120, cell: (token: Token) => <Removal kind={kind} token={token} /> }]
      : []),
  ];
}

interface TokenProperties<Token extends OrganizationToken, Values extends NewTokenValues> {
  readonly kind: Kind<Token, Values>;
  readonly token: Token;
}

/** On a phone with the rest below it. */
function Name<Token extends OrganizationToken, Values extends NewTokenValues>({
  kind: { column, remarkOf },
  token,
}: TokenProperties<Token, Values>) {
  const remark = remarkOf?.(token);
  return (
    <>
      <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
        {token.name}
      </Text>
      {remark !== undefined && (
        <Text size="sm" c="dimmed">
          {remark}
        </Text>
      )}
      <Text size="sm" c="dimmed" hiddenFrom="lg">
        {t.since} {dayOf(token.details.creationDate ?? '')}
      </Text>
      <Text size="sm" c="dimmed" hiddenFrom="sm">
        {column.label}: {column.cell(token)}
      </Text>
      <Text size="sm" c="dimmed" hiddenFrom="sm">
        {t.expires}: <Expiry at={token.expirationDate} />
      </Text>
    </>
  );
}

function Removal<Token extends OrganizationToken, Values extends NewTokenValues>({
  kind,
  token,
}: TokenProperties<Token, Values>) {
  const remove = useAct({
    call: async () => await kind.remove(token.id),
    stale: [keyOf(kind)],
    done: t.removed,
  });
  return (
    <Confirm
      danger
      variant="subtle"
      size="xs"
      inRow
      label={t.remove}
      title={`${t.remove}: ${token.name}`}
      text={kind.words.removeText}
      isWorking={remove.isPending}
      onConfirm={() => remove.mutate()}
    />
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
  const { wanted, ...search } = useTyped();
  // it need not be among those that are found now
  const [project, setProject] = useState<string>();
  const projects = useQuery({
    queryKey: ['projects', org, 'of-tokens', wanted],
    queryFn: async () => (await findProjects(org, { search: wanted, limit: 20 })).result ?? [],
    enabled: opened,
    placeholderData: keepPreviousData,
  });
  const found = (projects.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
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
      <Unread found={projects} />
      <FoundSelect
        label={k.project}
        description={k.projectHelp}
        {...(noProject === undefined ? { required: true } : { placeholder: noProject, clearable: true })}
        search={search}
        found={found}
        value={form.values.projectId}
        chosen={project}
        onChange={(id) => {
          setProject(found.find(({ value }) => value === id)?.label);
          set('projectId', id);
        }}
        error={form.errors['projectId']}
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
