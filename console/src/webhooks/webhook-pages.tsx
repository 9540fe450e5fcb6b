import { Button, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import sharedDe from '../../../locales/console/de/shared.json';
import de from '../../../locales/console/de/webhooks.json';
import shared from '../../../locales/console/en/shared.json';
import en from '../../../locales/console/en/webhooks.json';
import { useMay, useMayInInstance, type May } from '../app/permissions.ts';
import { every } from '../app/queries.ts';
import { momentOf, say, since, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { ActivationSwitch } from '../shared/activation-switch.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { Deletion } from '../shared/deletion.tsx';
import { useDraft } from '../shared/draft.ts';
import { useFilters } from '../shared/filters-in-address.ts';
import { Found } from '../shared/found.tsx';
import { AppLink, ButtonLink } from '../shared/links.tsx';
import { EmptyList, List, SearchField, StateFilter, type Column } from '../shared/list.tsx';
import { NewPage } from '../shared/new-page.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { usePagesByCursor } from '../shared/pages.ts';
import { chosen } from '../shared/search-body.ts';
import { Secret } from '../shared/secret.tsx';
import { Facts, Section } from '../shared/section.tsx';
import { SettingsForm } from '../shared/settings-form.tsx';
import { useSorting } from '../shared/sorting.tsx';
import { State } from '../shared/state.tsx';
import { ClaimsWebhookSection } from './claims-webhook.tsx';
import { DeadLetters, Deliveries, Replay } from './webhook-deliveries.tsx';
import { WebhookFields } from './webhook-fields.tsx';
import {
  bodyOf,
  pathIn,
  stateOf,
  valuesOf,
  WEBHOOK_ORDERS,
  WEBHOOK_STATES,
  webhooksOfInstance,
  webhooksOfOrganization,
  type Webhook,
  type WebhooksScope,
  type WebhookValues,
} from './webhooks.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

/** So many are found without filters. */
const FEW = 5;

interface Place {
  readonly scope: WebhooksScope;
  readonly may: May;
}

function useOrganization(): Place {
  const { org = '' } = useParams({ strict: false });
  return { scope: webhooksOfOrganization(org), may: useMay(org) };
}

function useInstance(): Place {
  return { scope: webhooksOfInstance, may: useMayInInstance() };
}

export function OrganizationWebhooksPage() {
  return <Webhooks {...useOrganization()} />;
}
export function InstanceWebhooksPage() {
  return <Webhooks {...useInstance()} />;
}
export function NewOrganizationWebhookPage() {
  return <NewWebhook {...useOrganization()} />;
}
export function NewInstanceWebhookPage() {
  return <NewWebhook {...useInstance()} />;
}
export function OrganizationWebhookPage() {
  return <OneWebhook {...useOrganization()} />;
}
export function InstanceWebhookPage() {
  return <OneWebhook {...useInstance()} />;
}

/** Where events go, and whether they get there. */
function Webhooks({ scope, may }: Place) {
  const { org = '' } = useParams({ strict: false });
  const [{ search, state: asked }] = useFilters();
  const state = chosen(asked, WEBHOOK_STATES);
  const { sorting, sorted } = useSorting(WEBHOOK_ORDERS, { oldestFirst: true });
  const pages = usePagesByCursor<Webhook>(
    [...scope.key, 'list', { search, state }],
    async (cursor) => await scope.find({ search, state, sorted, cursor }),
    { sorted },
  );
  const isFiltered = (search ?? '') !== '' || state !== undefined;
  const add = may(scope.permission) && <ButtonLink to={pathIn(scope, 'new')}>{t.add}</ButtonLink>;
  const columns: readonly Column<Webhook>[] = [
    {
      label: s.list.name,
      sort: 'name',
      cell: ({ id, name, url }) => (
        <>
          <AppLink className="row-link" to={pathIn(scope, id)}>
            {name}
          </AppLink>
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {url}
          </Text>
        </>
      ),
    },
    { label: s.list.state, cell: (webhook) => <State {...stateOf(webhook)} />, width: 140 },
    {
      label: t.list.delivered,
      cell: ({ lastDelivery }) => (lastDelivery === undefined ? t.list.never : since(lastDelivery)),
      wide: true,
      width: 160,
    },
    {
      label: s.list.created,
      sort: 'created',
      cell: ({ details }) => since(details.creationDate),
      wide: 'widest',
      width: 140,
    },
  ];
  return (
    <div className="console-page">
      <PageHead
        title={t.title}
        lead={scope.ofOrganization ? t.leadOfOrganization : t.leadOfInstance}
        actions={add}
      />
      {(isFiltered || (pages.rows?.length ?? 0) > FEW) && (
        <Group mb="md" gap="sm">
          <SearchField label={s.list.searchName} />
          <StateFilter states={Object.entries(WEBHOOK_STATES)} />
        </Group>
      )}
      <List
        label={t.title}
        columns={columns}
        {...pages}
        sorting={sorting}
        keyOf={({ id }) => id}
        empty={
          <EmptyList filters={['search', 'state']} title={t.empty.title} text={t.empty.text} action={add} />
        }
      />
      {scope.ofOrganization && (
        <Stack mt="xl">
          <ClaimsWebhookSection org={org} mayWrite={may(scope.permission)} />
        </Stack>
      )}
    </div>
  );
}

/** Its secret is shown here, once: the page of the webhook never has it. */
function NewWebhook({ scope }: Place) {
  const [made, setMade] = useState<{ readonly id: string; readonly secret: string }>();
  const navigate = useNavigate();
  const form = useForm<WebhookValues>({ mode: 'controlled', initialValues: valuesOf() });
  // the call asks for a fresh sign-in: what was typed is there again afterwards
  useDraft(`webhook.new.${scope.key.join('.')}`, form.getValues(), form.isDirty(), (kept) =>
    form.setValues(kept),
  );
  const add = useAct({
    call: async (values: WebhookValues) => await scope.add(bodyOf(values)),
    stale: [scope.key],
    done: t.done.added,
    quiet: true,
    onDone: (added) => {
      form.resetDirty();
      setMade(added);
    },
  });
  const back = (
    <AppLink size="sm" to={scope.path}>
      {t.title}
    </AppLink>
  );
  if (made !== undefined) {
    return (
      <div className="console-page">
        <PageHead title={form.getValues().name} back={back} />
        <Secret title={t.secret.made} value={made.secret} />
        <Button onClick={() => void navigate({ to: pathIn(scope, made.id), ignoreBlocker: true })}>
          {t.new.open}
        </Button>
      </div>
    );
  }
  return (
    <NewPage title={t.new.title} lead={t.new.lead} back={back} form={form} make={add} submit={t.new.submit}>
      <WebhookFields form={form} />
    </NewPage>
  );
}

/** One webhook: how it is going, its secret, its settings, and what it did not take. */
function OneWebhook(place: Place) {
  const { scope } = place;
  const { webhook: id = '' } = useParams({ strict: false });
  const found = useQuery({
    queryKey: [...scope.key, id],
    queryFn: async () => await scope.read(id),
    refetchInterval: every(10_000),
  });
  return <Found found={found}>{(webhook) => <Shown key={webhook.id} {...place} webhook={webhook} />}</Found>;
}

function Shown({ scope, may, webhook }: Place & { readonly webhook: Webhook }) {
  const navigate = useNavigate();
  const { id } = webhook;
  const mayWrite = may(scope.permission);
  const parts = { scope, webhook, mayWrite };
  return (
    <div className="console-page">
      <PageHead
        title={webhook.name}
        lead={
          <Group gap="xs">
            <Text span style={{ overflowWrap: 'anywhere' }}>
              {webhook.url}
            </Text>
            <State {...stateOf(webhook)} />
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
              isActive={webhook.state !== 'STATE_INACTIVE'}
              name={webhook.name}
              activate={async () => await scope.setState(id, '_activate')}
              deactivate={async () => await scope.setState(id, '_deactivate')}
              stale={[scope.key]}
              words={t}
            />
          )
        }
      />
      <Deliveries {...parts} />
      <DeadLetters {...parts} />
      <SettingsForm<WebhookValues>
        key={webhook.id}
        name={`webhook.${webhook.id}`}
        initial={valuesOf(webhook)}
        sequence={webhook.details.sequence}
        save={async (values, sequence) => await scope.replace(id, bodyOf(values), sequence)}
        stale={[scope.key]}
        done={s.form.saved}
      >
        {(form) => (
          <>
            <WebhookFields form={form} isReadOnly={!mayWrite} />
            <Facts
              facts={[
                [s.list.created, momentOf(webhook.details.creationDate)],
                [s.list.changed, momentOf(webhook.details.changeDate)],
              ]}
            />
          </>
        )}
      </SettingsForm>
      {mayWrite && <SecretSection scope={scope} webhook={webhook} />}
      {mayWrite && <Replay scope={scope} webhook={webhook} />}
      {mayWrite && (
        <Deletion
          title={t.act.remove}
          label={t.act.remove}
          name={webhook.name}
          text={t.act.removeText}
          word={webhook.name}
          remove={async () => await scope.remove(id)}
          stale={[[...scope.key, 'list']]}
          done={t.done.removed}
          onGone={() => void navigate({ to: scope.path, ignoreBlocker: true })}
        />
      )}
    </div>
  );
}

interface OneProperties {
  readonly scope: WebhooksScope;
  readonly webhook: Webhook;
}

function SecretSection({ scope, webhook }: OneProperties) {
  const [secret, setSecret] = useState<string>();
  const change = useAct({
    call: async () => await scope.changeSecret(webhook.id),
    stale: [scope.key],
    done: t.done.secret,
    onDone: (changed) => setSecret(changed.secret),
  });
  return (
    <Section
      title={t.secret.title}
      lead={t.secret.lead}
      action={
        <Confirm
          label={t.secret.change}
          title={t.secret.change}
          text={t.secret.changeText}
          isWorking={change.isPending}
          onConfirm={() => change.mutate()}
        />
      }
    >
      {secret !== undefined && <Secret title={t.secret.made} value={secret} />}
      {webhook.formerSecretUntil !== undefined && new Date(webhook.formerSecretUntil) > new Date() && (
        <Text size="sm">{say(t.secret.former, { until: momentOf(webhook.formerSecretUntil) ?? '' })}</Text>
      )}
    </Section>
  );
}
