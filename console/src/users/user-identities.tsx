import { Button, Select, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import sharedDe from '../../../locales/console/de/shared.json';
import de from '../../../locales/console/de/users.json';
import shared from '../../../locales/console/en/shared.json';
import en from '../../../locales/console/en/users.json';
import { answered, api, inOrganization, type Answered } from '../api/client.ts';
import { since, words } from '../app/words.ts';
import { providersOfOrganization } from '../identity-providers/identity-providers.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { useDraft } from '../shared/draft.ts';
import { Failure } from '../shared/failure.tsx';
import { FormDialog, useDialogDraft } from '../shared/form-dialog.tsx';
import { Unread } from '../shared/found.tsx';
import { List, type Column } from '../shared/list.tsx';
import { Section } from '../shared/section.tsx';
import { timeOf, useSortedRows } from '../shared/whole-list.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

type Identity = NonNullable<Answered<'/management/v1/users/{id}/idps', 'get'>['result']>[number];

interface UserIdentitiesProperties {
  readonly org: string;
  readonly id: string;
  readonly mayWrite: boolean;
  /** Choosing a provider means listing them. */
  readonly mayReadProviders: boolean;
}

function identitiesKey(org: string, id: string): string[] {
  return ['users', org, id, 'identities'];
}

/** Who a user is at identity providers, and how they stop being it. */
export function UserIdentities({ org, id, mayWrite, mayReadProviders }: UserIdentitiesProperties) {
  const params = { ...inOrganization(org), path: { id } };
  const list = useQuery({
    queryKey: identitiesKey(org, id),
    queryFn: async () => (await answered(api.GET('/management/v1/users/{id}/idps', { params }))).result ?? [],
  });
  const nameOf = ({ displayName, externalUserId }: Identity) =>
    displayName === '' ? externalUserId : displayName;
  const { rows, sorting } = useSortedRows(
    list.data,
    {
      provider: ({ idpName }) => idpName,
      name: nameOf,
      used: ({ lastUsed }) => timeOf(lastUsed),
    },
    { parameter: 'sort-identities' },
  );
  const columns: readonly Column<Identity>[] = [
    { label: t.identities.provider, sort: 'provider', cell: ({ idpName }) => idpName },
    {
      label: t.identities.name,
      sort: 'name',
      cell: (identity) => (
        <Text span inherit style={{ overflowWrap: 'anywhere' }}>
          {nameOf(identity)}
        </Text>
      ),
    },
    {
      label: t.identities.used,
      sort: 'used',
      sortWords: s.list.timeOrder,
      cell: ({ lastUsed }) => (lastUsed === undefined ? t.identities.never : since(lastUsed)),
      wide: true,
    },
    ...(mayWrite
      ? [
          {
            label: s.list.actions,
            width: 120,
            cell: (identity: Identity) => <Removal org={org} id={id} identity={identity} />,
          },
        ]
      : []),
  ];
  return (
    <Section
      title={t.sections.identities}
      lead={t.sections.identitiesLead}
      action={mayWrite && mayReadProviders && <NewIdentity org={org} id={id} />}
    >
      <List
        label={t.sections.identities}
        columns={columns}
        rows={rows}
        sorting={sorting}
        keyOf={({ id: identity }) => identity}
        error={list.error}
        onRetry={() => void list.refetch()}
        isWhole
        empty={<Text c="dimmed">{t.identities.none}</Text>}
      />
    </Section>
  );
}

interface RemovalProperties {
  readonly org: string;
  readonly id: string;
  readonly identity: Identity;
}

function Removal({ org, id, identity }: RemovalProperties) {
  const remove = useAct({
    call: async () =>
      await answered(
        api.DELETE('/management/v1/users/{id}/idps/{identityId}', {
          params: { ...inOrganization(org), path: { id, identityId: identity.id } },
        }),
      ),
    stale: [['users', org, id]],
    done: t.identities.removed,
  });
  return (
    <Confirm
      danger
      variant="subtle"
      size="xs"
      inRow
      label={t.identities.remove}
      title={`${t.identities.remove}: ${identity.idpName}`}
      text={t.identities.removeText}
      isWorking={remove.isPending}
      onConfirm={() => remove.mutate()}
    />
  );
}

const NOTHING = { idpId: '', externalUserId: '', displayName: '' };

function NewIdentity({ org, id }: { readonly org: string; readonly id: string }) {
  const dialog = useDialogDraft(() => NOTHING);
  const { opened, draft, setDraft } = dialog;
  const scope = providersOfOrganization(org);
  const found = useQuery({
    queryKey: [...scope.key],
    queryFn: async () => (await scope.list()).providers,
    enabled: opened,
  });
  const add = useAct({
    call: async () =>
      await answered(
        api.POST('/management/v1/users/{id}/idps', {
          params: { ...inOrganization(org), path: { id } },
          body: draft,
        }),
      ),
    stale: [['users', org, id]],
    done: t.identities.added,
    quiet: true,
    onDone: dialog.end,
  });
  // who is led to a fresh sign-in finds the dialog as they left it
  useDraft(`identity-new-${id}`, draft, opened, dialog.restore);
  const typed = (name: 'externalUserId' | 'displayName') => ({
    value: draft[name],
    onChange: (event: { readonly currentTarget: { readonly value: string } }) => {
      const { value } = event.currentTarget;
      setDraft((old) => ({ ...old, [name]: value }));
    },
  });
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        {t.identities.add}
      </Button>
      <FormDialog
        title={t.identities.add}
        opened={opened}
        isDirty={dialog.isDirty}
        onClose={dialog.close}
        onDiscard={() => {
          add.reset();
          dialog.end();
        }}
        notice={add.error && <Failure error={add.error} />}
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate();
        }}
        submit={t.identities.add}
        isWorking={add.isPending}
        mayGo={draft.idpId !== '' && draft.externalUserId !== ''}
      >
        <Text size="sm">{t.identities.addText}</Text>
        <Unread found={found} />
        <Select
          label={t.identities.provider}
          required
          searchable
          {...(found.data !== undefined && { nothingFoundMessage: t.identities.noProvider })}
          value={draft.idpId === '' ? null : draft.idpId}
          onChange={(chosen) => setDraft((old) => ({ ...old, idpId: chosen ?? '' }))}
          data={(found.data ?? []).map((provider) => ({ value: provider.id, label: provider.name }))}
        />
        <TextInput
          label={t.identities.subject}
          description={t.identities.subjectHelp}
          required
          maxLength={255}
          {...typed('externalUserId')}
        />
        <TextInput label={t.identities.displayName} maxLength={200} {...typed('displayName')} />
      </FormDialog>
    </>
  );
}
