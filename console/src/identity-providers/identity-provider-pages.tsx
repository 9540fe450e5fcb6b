import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/identity-providers.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/identity-providers.json';
import shared from '../../../locales/console/en/shared.json';
import { useMay, useMayInInstance, type May } from '../app/permissions.ts';
import { momentOf, since, words } from '../app/words.ts';
import { expiresOn, expiryOf } from '../directories/expiry.ts';
import { SettingsShell } from '../settings/settings-frame.tsx';
import { useAct } from '../shared/act.ts';
import { ActivationSwitch } from '../shared/activation-switch.tsx';
import { CodeBlock } from '../shared/code-block.tsx';
import { Deletion } from '../shared/deletion.tsx';
import { forgetDraft, useDraft, useLostSecret } from '../shared/draft.ts';
import { Found } from '../shared/found.tsx';
import { AppLink, ButtonLink } from '../shared/links.tsx';
import { ChoiceFilter, EmptyList, List, SearchField, StateFilter, type Column } from '../shared/list.tsx';
import { NewPage } from '../shared/new-page.tsx';
import { Facts, Section } from '../shared/section.tsx';
import { SettingsForm } from '../shared/settings-form.tsx';
import { State } from '../shared/state.tsx';
import { useWholeList } from '../shared/whole-list.ts';
import { SignInFrame, type Frame } from '../sign-in/sign-in-frame.tsx';
import { IdentityProviderFields } from './identity-provider-fields.tsx';
import {
  bodyOf,
  KINDS,
  pathIn,
  providersOfInstance,
  providersOfOrganization,
  STATES,
  valuesOf,
  type IdentityProvider,
  type ProvidersScope,
  type ProviderValues,
} from './identity-providers.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

interface Place {
  readonly scope: ProvidersScope;
  readonly frame: Frame;
  readonly may: May;
}

function useOrganization(): Place {
  const { org = '' } = useParams({ strict: false });
  return { scope: providersOfOrganization(org), frame: SignInFrame, may: useMay(org) };
}

function useInstance(): Place {
  return { scope: providersOfInstance, frame: SettingsShell, may: useMayInInstance() };
}

export function OrganizationProvidersPage() {
  return <Providers {...useOrganization()} />;
}
export function InstanceProvidersPage() {
  return <Providers {...useInstance()} />;
}
export function NewOrganizationProviderPage() {
  return <NewProvider {...useOrganization()} />;
}
export function NewInstanceProviderPage() {
  return <NewProvider {...useInstance()} />;
}
export function OrganizationProviderPage() {
  return <OneProvider {...useOrganization()} />;
}
export function InstanceProviderPage() {
  return <OneProvider {...useInstance()} />;
}

/** Whoever else people may sign in with. */
function Providers({ scope, frame: Around, may }: Place) {
  const list = useQuery({ queryKey: [...scope.key, 'list'], queryFn: async () => await scope.list() });
  const { rows, sorting, needsFilters } = useWholeList(list.data?.providers, {
    name: ({ name }) => name,
    filters: { kind: ({ kind }) => kind, state: ({ state }) => state },
  });
  const add = may(scope.permission) && <ButtonLink to={pathIn(scope, 'new')}>{t.add}</ButtonLink>;
  const columns: readonly Column<IdentityProvider>[] = [
    {
      label: s.list.name,
      sort: 'name',
      cell: ({ id, name, kind }) => (
        <>
          <AppLink className="row-link" to={pathIn(scope, id)}>
            {name}
          </AppLink>
          <Text size="sm" c="dimmed">
            {KINDS[kind]}
          </Text>
        </>
      ),
    },
    { label: s.list.state, cell: (provider) => <States provider={provider} />, width: 180 },
    {
      label: s.list.created,
      sort: 'created',
      cell: ({ details }) => since(details.creationDate),
      wide: 'widest',
      width: 140,
    },
    { label: s.list.changed, cell: ({ details }) => since(details.changeDate), wide: true, width: 160 },
  ];
  return (
    <Around
      title={t.title}
      lead={scope.ofOrganization ? t.leadOfOrganization : t.leadOfInstance}
      actions={add}
    >
      {list.data?.ownersRely === true && (
        <Alert mb="md" color="yellow" title={t.owners.title}>
          {scope.ofOrganization ? t.owners.ofOrganization : t.owners.ofInstance}
        </Alert>
      )}
      {needsFilters && (
        <Group mb="md" gap="sm">
          <SearchField label={s.list.searchName} />
          <ChoiceFilter name="kind" label={s.list.kind} choices={Object.entries(KINDS)} />
          <StateFilter states={Object.entries(STATES).map(([value, { label }]) => [value, label])} />
        </Group>
      )}
      <List
        label={t.title}
        columns={columns}
        rows={rows}
        sorting={sorting}
        keyOf={({ id }) => id}
        error={list.error}
        onRetry={() => void list.refetch()}
        total={rows?.length ?? 0}
        empty={
          <EmptyList
            filters={['search', 'kind', 'state']}
            title={t.empty.title}
            text={t.empty.text}
            action={add}
          />
        }
      />
    </Around>
  );
}

/** It signs nobody in before it is activated. */
function NewProvider({ scope }: Place) {
  const navigate = useNavigate();
  const form = useForm<ProviderValues>({ mode: 'controlled', initialValues: valuesOf() });
  const draft = `identity-provider.new.${scope.key.join('.')}`;
  const { clientSecret, bindPassword } = form.getValues();
  useDraft(draft, { ...form.getValues(), clientSecret: '', bindPassword: '' }, form.isDirty(), (kept) =>
    form.setValues(kept),
  );
  const isSecretLost = useLostSecret(draft, clientSecret !== '' || bindPassword !== '', form.isDirty());
  const add = useAct({
    call: async (values: ProviderValues) => await scope.add(bodyOf(values)),
    stale: [scope.key],
    done: t.done.added,
    quiet: true,
    onDone: ({ id }) => {
      form.resetDirty();
      forgetDraft(draft);
      void navigate({ to: pathIn(scope, id), ignoreBlocker: true });
    },
  });
  return (
    <NewPage
      title={t.new.title}
      lead={t.new.lead}
      back={
        <AppLink size="sm" to={scope.path}>
          {t.title}
        </AppLink>
      }
      form={form}
      make={add}
      submit={t.new.submit}
      isSecretLost={isSecretLost}
    >
      <IdentityProviderFields form={form} isNew ofOrganization={scope.ofOrganization} />
    </NewPage>
  );
}

/** One provider: whether people sign in with it, what to register there, and its settings. */
function OneProvider(place: Place) {
  const { scope } = place;
  const { provider: id = '' } = useParams({ strict: false });
  const found = useQuery({ queryKey: [...scope.key, id], queryFn: async () => await scope.read(id) });
  return (
    <Found found={found}>{(provider) => <Shown key={provider.id} {...place} provider={provider} />}</Found>
  );
}

function Shown({ scope, frame: Around, may, provider }: Place & { readonly provider: IdentityProvider }) {
  const navigate = useNavigate();
  const { id } = provider;
  const mayWrite = may(scope.permission);
  const isSaml = provider.kind === 'saml';
  // a directory is asked from here, and is told of no address
  const hasCallback = provider.kind !== 'ldap';
  return (
    <Around
      title={provider.name}
      lead={
        <Group gap="xs">
          <Text span>{KINDS[provider.kind]}</Text>
          <States provider={provider} />
        </Group>
      }
      back={
        <AppLink size="sm" to={scope.path}>
          {t.title}
        </AppLink>
      }
      actions={
        mayWrite && (
          <ActivationSwitch
            isActive={provider.state !== 'STATE_INACTIVE'}
            name={provider.name}
            activate={async () => await scope.setState(id, '_activate')}
            deactivate={async () => await scope.setState(id, '_deactivate')}
            stale={[scope.key]}
            words={t}
          />
        )
      }
    >
      {hasCallback && (
        <Section
          title={isSaml ? t.saml.title : t.callback.title}
          lead={isSaml ? t.saml.lead : t.callback.lead}
          action={
            mayWrite && provider.metadataUrl !== undefined && <Refresh scope={scope} provider={provider} />
          }
        >
          <CodeBlock title={isSaml ? t.saml.acs : t.callback.title} code={provider.callbackUrl} />
          {provider.serviceProviderMetadataUrl !== undefined && (
            <>
              <Text size="sm" mt="md" mb="xs">
                {t.saml.metadata}{' '}
                <Anchor href={provider.serviceProviderMetadataUrl} size="sm" underline="always" download>
                  {t.saml.download}
                </Anchor>
              </Text>
              <CodeBlock title={t.saml.entityId} code={provider.serviceProviderMetadataUrl} />
              {provider.certificates?.length === 0 && (
                <Alert mt="md" color="yellow" title={t.saml.missing}>
                  {t.saml.missingText}
                </Alert>
              )}
            </>
          )}
        </Section>
      )}
      {!scope.ofOrganization && (
        <Section title={t.callback.idTitle} lead={t.callback.id}>
          <CodeBlock title={t.callback.idTitle} code={provider.id} />
        </Section>
      )}
      <SettingsForm<ProviderValues>
        key={provider.id}
        name={`identity-provider.${provider.id}`}
        secrets={['clientSecret', 'bindPassword']}
        initial={valuesOf(provider)}
        sequence={provider.details.sequence}
        save={async (values, sequence) => await scope.replace(id, bodyOf(values, provider), sequence)}
        stale={[scope.key]}
        done={s.form.saved}
      >
        {(form) => (
          <>
            <IdentityProviderFields
              form={form}
              isNew={false}
              ofOrganization={scope.ofOrganization}
              isReadOnly={!mayWrite}
            />
            <Facts
              facts={[
                [s.list.created, momentOf(provider.details.creationDate)],
                [s.list.changed, momentOf(provider.details.changeDate)],
                [t.expires, expiresOn(provider)],
              ]}
            />
          </>
        )}
      </SettingsForm>
      {mayWrite && (
        <Deletion
          title={t.act.remove}
          label={t.act.remove}
          name={provider.name}
          text={t.act.removeText}
          word={provider.name}
          remove={async () => await scope.remove(id)}
          stale={[[...scope.key, 'list']]}
          done={t.done.removed}
          onGone={() => void navigate({ to: scope.path, ignoreBlocker: true })}
        />
      )}
    </Around>
  );
}

function States({ provider }: { readonly provider: IdentityProvider }) {
  const expiry = expiryOf(provider);
  return (
    <Group gap="xs">
      <State {...STATES[provider.state]} />
      {expiry !== undefined && <State {...expiry} />}
    </Group>
  );
}

/** What its metadata says by now: new keys, above all. */
function Refresh({
  scope,
  provider,
}: {
  readonly scope: ProvidersScope;
  readonly provider: IdentityProvider;
}) {
  const refresh = useAct({
    call: async () => await scope.refresh(provider.id),
    stale: [scope.key],
    done: t.done.refreshed,
  });
  return (
    <Button variant="default" loading={refresh.isPending} onClick={() => refresh.mutate()}>
      {t.act.refresh}
    </Button>
  );
}
