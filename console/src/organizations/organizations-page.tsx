import { Group, Paper, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import de from '../../../locales/console/de/organizations.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/organizations.json';
import sharedEn from '../../../locales/console/en/shared.json';
import { answered, api, type Answered } from '../api/client.ts';
import { useMayInInstance } from '../app/permissions.ts';
import { since, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { forgetDraft, useDraft } from '../shared/draft.ts';
import { useFilters } from '../shared/filters-in-address.ts';
import { AppLink, ButtonLink } from '../shared/links.tsx';
import { EmptyList, List, SearchField, StateFilter, type Column } from '../shared/list.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { usePagesByCursor } from '../shared/pages.ts';
import { SaveBar } from '../shared/save-bar.tsx';
import { chosen, named, orderOf, pageOf, type ListSearch } from '../shared/search-body.ts';
import { useSorting, type Orders } from '../shared/sorting.tsx';
import { State } from '../shared/state.tsx';

const t = words({ en, de });
const s = words({ en: sharedEn, de: sharedDe });

type Organization = NonNullable<Answered<'/admin/v1/orgs/_search', 'post'>['result']>[number];

/** All organizations of the instance. */
export function OrganizationsPage() {
  const may = useMayInInstance();
  const [{ search, state }] = useFilters();
  const { sorting, sorted } = useSorting(ORDERS);
  const pages = usePagesByCursor<Organization>(
    ['organizations', 'list', { search, state }],
    async (cursor) => await findOrganizations({ search, state, sorted, cursor }),
    { sorted },
  );
  return (
    <div className="console-page">
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={may('org.create') && <ButtonLink to="/instance/organizations/new">{t.add}</ButtonLink>}
      />
      <Stack>
        <Group gap="sm">
          <SearchField label={t.search} />
          <StateFilter states={Object.entries(ORGANIZATION_STATES)} />
        </Group>
        <List
          label={t.title}
          columns={COLUMNS}
          {...pages}
          sorting={sorting}
          keyOf={({ id }) => id}
          empty={<EmptyList filters={['search', 'state']} title={t.empty} text={t.emptyText} />}
        />
      </Stack>
    </div>
  );
}

const ORDERS = {
  name: 'ORG_FIELD_NAME_NAME',
  created: 'ORG_FIELD_NAME_CREATION_DATE',
} as const satisfies Orders;

const ORGANIZATION_STATES = {
  ORG_STATE_ACTIVE: t.states.active,
  ORG_STATE_INACTIVE: t.states.inactive,
} as const;

async function findOrganizations(search: ListSearch & { readonly state: string | undefined }) {
  const state = chosen(search.state, ORGANIZATION_STATES);
  const queries = [...named(search.search), ...(state === undefined ? [] : [{ stateQuery: { state } }])];
  const body = {
    query: pageOf(search),
    queries,
    ...orderOf<(typeof ORDERS)[keyof typeof ORDERS]>(search),
  };
  return await answered(api.POST('/admin/v1/orgs/_search', { body }));
}

const COLUMNS: readonly Column<Organization>[] = [
  {
    label: t.name,
    sort: 'name',
    cell: ({ id, name }) => (
      <AppLink className="row-link" to="/orgs/$org" params={{ org: id }}>
        {name}
      </AppLink>
    ),
  },
  { label: t.domain, cell: ({ primaryDomain }) => primaryDomain, wide: true },
  {
    label: s.list.state,
    cell: ({ state }) => <OrganizationState state={state} />,
    width: 140,
  },
  {
    label: s.list.created,
    sort: 'created',
    cell: ({ details }) => since(details.creationDate),
    wide: 'widest',
    width: 150,
  },
  { label: s.list.changed, cell: ({ details }) => since(details.changeDate), wide: true, width: 160 },
];

export function OrganizationState({ state }: { readonly state: string }) {
  return state === 'ORG_STATE_ACTIVE' ? (
    <State tone="good" label={t.states.active} />
  ) : (
    <State tone="quiet" label={t.states.inactive} />
  );
}

const DRAFT = 'organization-new';

/** Adds one, and opens it. */
export function NewOrganizationPage() {
  const navigate = useNavigate();
  const form = useForm({ mode: 'controlled', initialValues: { name: '', domain: '' } });
  useDraft(DRAFT, form.values, form.isDirty(), form.setValues);
  const add = useAct({
    call: async ({ name, domain }: { readonly name: string; readonly domain: string }) =>
      await answered(
        api.POST('/admin/v1/orgs', {
          body: { name: name.trim(), ...(domain.trim() !== '' && { domain: domain.trim() }) },
        }),
      ),
    stale: [['organizations'], ['me', 'permissions']],
    done: t.added,
    quiet: true,
    onDone: ({ id }) => {
      form.resetDirty();
      forgetDraft(DRAFT);
      void navigate({ to: '/orgs/$org', params: { org: id }, ignoreBlocker: true });
    },
  });
  return (
    <div className="console-page">
      <PageHead
        title={t.add}
        back={
          <AppLink size="sm" to="/instance/organizations">
            {t.title}
          </AppLink>
        }
      />
      <form onSubmit={form.onSubmit((values) => add.mutate(values))}>
        <Paper p="lg" maw={560}>
          <Stack>
            <TextInput label={t.name} required maxLength={200} {...form.getInputProps('name')} />
            <TextInput label={t.domain} description={t.domainHelp} {...form.getInputProps('domain')} />
          </Stack>
        </Paper>
        <SaveBar
          isDirty={form.isDirty()}
          isSaving={add.isPending}
          error={add.error}
          label={t.add}
          onDiscard={() => form.reset()}
        />
      </form>
    </div>
  );
}
