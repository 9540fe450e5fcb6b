import { Box, Button, Code, Group, List, Stack, Table, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/organizations.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/organizations.json';
import sharedEn from '../../../locales/console/en/shared.json';
import { answered, api, inOrganization, type Answered } from '../api/client.ts';
import { useMay } from '../app/permissions.ts';
import { say, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { ActivationSwitch } from '../shared/activation-switch.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { Deletion } from '../shared/deletion.tsx';
import { useDraft } from '../shared/draft.ts';
import { Failure } from '../shared/failure.tsx';
import { useFilters } from '../shared/filters-in-address.ts';
import { Found } from '../shared/found.tsx';
import { LeaveGuard } from '../shared/leave-guard.tsx';
import { SearchField } from '../shared/list.tsx';
import { Paged } from '../shared/more.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { usePagesByCursor } from '../shared/pages.ts';
import { named, orderOf, pageOf } from '../shared/search-body.ts';
import { Copy } from '../shared/secret.tsx';
import { Section } from '../shared/section.tsx';
import { SettingsForm } from '../shared/settings-form.tsx';
import { SortHead, useSorting, type Orders } from '../shared/sorting.tsx';
import { State } from '../shared/state.tsx';
import { InitialAccessTokens } from './initial-access-tokens.tsx';
import { OrganizationState } from './organizations-page.tsx';
import { ScimTokens } from './scim-tokens.tsx';

const all = words({ en, de });
const t = all.settings;
const shared = words({ en: sharedEn, de: sharedDe });

type Organization = Answered<'/management/v1/orgs/me', 'get'>['org'];
type Domain = NonNullable<Answered<'/management/v1/orgs/me/domains/_search', 'post'>['result']>[number];

/** What domains can be put in order by. */
const DOMAIN_ORDERS = { name: 'ORG_DOMAIN_FIELD_NAME_NAME', created: undefined } as const satisfies Orders;
/** So many are found without a search. */
const FEW = 5;

/** Name, domains, and the end of an organization. */
export function OrganizationSettingsPage() {
  const { org = '' } = useParams({ strict: false });
  const found = useQuery({
    queryKey: ['organizations', org, 'settings'],
    queryFn: async () =>
      (await answered(api.GET('/management/v1/orgs/me', { params: inOrganization(org) }))).org,
  });
  return <Found found={found}>{(organization) => <Settings org={org} organization={organization} />}</Found>;
}

function Settings({ org, organization }: { readonly org: string; readonly organization: Organization }) {
  const may = useMay(org);
  return (
    <div className="console-page">
      <PageHead
        title={t.title}
        lead={
          <Group gap="xs">
            <Text span>{t.lead}</Text>
            <OrganizationState state={organization.state} />
          </Group>
        }
      />
      <SettingsForm
        bare
        name={`organization-${org}`}
        initial={{ name: organization.name }}
        sequence={organization.details.sequence}
        save={async ({ name }, sequence) =>
          await answered(
            api.PUT('/management/v1/orgs/me', {
              params: inOrganization(org, sequence),
              body: { name: name.trim() },
            }),
          )
        }
        stale={[['organizations'], ['me', 'permissions']]}
        done={t.saved}
      >
        {(form) => (
          <Section title={all.name} lead={t.nameHelp}>
            <TextInput
              aria-label={all.name}
              required
              maxLength={200}
              maw={480}
              disabled={!may('org.write')}
              {...form.getInputProps('name')}
            />
          </Section>
        )}
      </SettingsForm>
      <Domains org={org} mayWrite={may('org.write')} />
      <ScimTokens org={org} mayWrite={may('org.write')} />
      {may('project.app.read') && <InitialAccessTokens org={org} mayWrite={may('project.app.write')} />}
      {may('org.delete') && organization.isOwn !== true && <Ending org={org} organization={organization} />}
    </div>
  );
}

function Domains({ org, mayWrite }: { readonly org: string; readonly mayWrite: boolean }) {
  const stale = [['organizations', org, 'domains']];
  const [{ domain: search }] = useFilters();
  const { sorting, sorted } = useSorting(DOMAIN_ORDERS, { parameter: 'sort-domains' });
  const pages = usePagesByCursor<Domain>(
    [...(stale[0] ?? []), { search }],
    async (cursor) => {
      const page = { search, sorted, cursor };
      const body = {
        query: pageOf(page),
        queries: named(search),
        ...orderOf<typeof DOMAIN_ORDERS.name>(page),
      };
      return await answered(
        api.POST('/management/v1/orgs/me/domains/_search', { params: inOrganization(org), body }),
      );
    },
    { sorted },
  );
  const isFiltered = (search ?? '') !== '';
  const form = useForm({ mode: 'controlled', initialValues: { domain: '' } });
  const add = useAct({
    call: async (domain: string) =>
      await answered(
        api.POST('/management/v1/orgs/me/domains', { params: inOrganization(org), body: { domain } }),
      ),
    stale,
    done: t.domainAdded,
    quiet: true,
    onDone: () => form.reset(),
  });
  useDraft(`domain-new-${org}`, form.values, form.isDirty(), form.setValues);
  return (
    <Section title={t.domains} lead={t.domainsLead}>
      {(isFiltered || (pages.rows?.length ?? 0) > FEW) && (
        <Box mb="md">
          <SearchField label={t.searchDomain} name="domain" />
        </Box>
      )}
      <Paged pages={pages} {...(isFiltered && { none: shared.list.nothingFits })}>
        {(domains) => (
          <Table aria-label={t.domains} mb="md">
            <Table.Thead>
              <Table.Tr>
                <SortHead sorting={sorting} by="name" label={t.domainName} />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {domains.map((domain) => (
                <DomainRow key={domain.domainName} org={org} domain={domain} mayWrite={mayWrite} />
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Paged>
      {mayWrite && (
        <form onSubmit={form.onSubmit(({ domain }) => add.mutate(domain.trim()))}>
          <LeaveGuard what={t.addDomain} isDirty={form.isDirty()} isSaving={add.isPending} overFilters />
          <Group align="flex-end">
            <TextInput
              label={t.domainName}
              placeholder="example.com"
              required
              w={320}
              {...form.getInputProps('domain')}
            />
            <Button type="submit" variant="default" loading={add.isPending}>
              {t.addDomain}
            </Button>
          </Group>
          {add.error && <Failure error={add.error} />}
        </form>
      )}
    </Section>
  );
}

interface DomainRowProperties {
  readonly org: string;
  readonly domain: Domain;
  readonly mayWrite: boolean;
}

function DomainRow({ org, domain, mayWrite }: DomainRowProperties) {
  const { domainName, isPrimary, isVerified, dnsRecord } = domain;
  const params = { ...inOrganization(org), path: { domain: domainName } };
  const stale = [['organizations'], ['users', org], ['me']];
  const validate = useAct({
    call: async () =>
      await answered(api.POST('/management/v1/orgs/me/domains/{domain}/_validate', { params })),
    stale,
    done: t.domainVerified,
    quiet: true,
  });
  const makePrimary = useAct({
    call: async () =>
      await answered(api.POST('/management/v1/orgs/me/domains/{domain}/_set_primary', { params })),
    stale,
    done: t.domainPrimary,
  });
  const remove = useAct({
    call: async () => await answered(api.DELETE('/management/v1/orgs/me/domains/{domain}', { params })),
    stale,
    done: t.domainRemoved,
  });
  return (
    <Table.Tr>
      <Table.Td>
        <Group justify="space-between">
          <Group gap="xs">
            <Text fw={600}>{domainName}</Text>
            <State
              tone={isVerified === true ? 'good' : 'warning'}
              label={isVerified === true ? t.verified : t.pending}
            />
            {isPrimary === true && <State tone="quiet" label={t.primary} />}
          </Group>
          {mayWrite && isPrimary !== true && (
            <Group gap="xs">
              {isVerified === true && (
                <Confirm
                  size="xs"
                  inRow
                  label={t.makePrimary}
                  title={`${t.makePrimary}: ${domainName}`}
                  text={t.makePrimaryText}
                  isWorking={makePrimary.isPending}
                  onConfirm={() => makePrimary.mutate()}
                />
              )}
              <Confirm
                size="xs"
                inRow
                label={t.remove}
                title={`${t.remove}: ${domainName}`}
                text={t.removeText}
                isWorking={remove.isPending}
                onConfirm={() => remove.mutate()}
              />
            </Group>
          )}
        </Group>
        {dnsRecord !== undefined && mayWrite && (
          <Stack gap="xs" mt="sm">
            <List type="ordered" size="sm" spacing="xs">
              <List.Item>{say(t.step1, { domain: domainName })}</List.Item>
              <List.Item>
                {t.step2}
                <Record value={dnsRecord.name} />
                {t.step3}
                <Record value={dnsRecord.value} />
              </List.Item>
              <List.Item>{t.step4}</List.Item>
            </List>
            <Group>
              <Button size="xs" loading={validate.isPending} onClick={() => validate.mutate()}>
                {t.validate}
              </Button>
            </Group>
            {validate.error && <Failure error={validate.error} />}
          </Stack>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function Record({ value }: { readonly value: string }) {
  return (
    <Group gap="xs" my={4}>
      <Code style={{ overflowWrap: 'anywhere' }}>{value}</Code>
      <Copy value={value} />
    </Group>
  );
}

function Ending({ org, organization }: { readonly org: string; readonly organization: Organization }) {
  const navigate = useNavigate();
  const params = inOrganization(org);
  const stale = [['organizations'], ['me', 'permissions']];
  const isActive = organization.state === 'ORG_STATE_ACTIVE';
  return (
    <>
      <Section
        title={isActive ? t.deactivate : t.activate}
        lead={t.deactivateText}
        action={
          <ActivationSwitch
            isActive={isActive}
            isSecondary
            name={organization.name}
            activate={async () => await answered(api.POST('/management/v1/orgs/me/_reactivate', { params }))}
            deactivate={async () =>
              await answered(api.POST('/management/v1/orgs/me/_deactivate', { params }))
            }
            stale={stale}
            words={{ act: t, done: t }}
          />
        }
      />
      <Deletion
        title={t.danger}
        label={t.delete}
        name={organization.name}
        text={t.dangerText}
        word={organization.name}
        remove={async () => await answered(api.DELETE('/management/v1/orgs/me', { params }))}
        stale={stale}
        done={t.deleted}
        onGone={() => void navigate({ to: '/', ignoreBlocker: true })}
      />
    </>
  );
}
