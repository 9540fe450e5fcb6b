import { Button, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/service-users.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/service-users.json';
import shared from '../../../locales/console/en/shared.json';
import { answered, api, inOrganization, type Sent } from '../api/client.ts';
import { useMay } from '../app/permissions.ts';
import { momentOf, words } from '../app/words.ts';
import { Copied } from '../applications/new-application.tsx';
import { Keys } from '../credentials/keys.tsx';
import { MachineSecret } from '../credentials/machine-secret.tsx';
import { Tokens } from '../credentials/tokens.tsx';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { useDraft } from '../shared/draft.ts';
import { Failure } from '../shared/failure.tsx';
import { AppLink } from '../shared/links.tsx';
import { LoadingPage } from '../shared/loading.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { SaveBar } from '../shared/save-bar.tsx';
import { Facts, Section } from '../shared/section.tsx';
import { State } from '../shared/state.tsx';
import { nameOf, USER_STATES, type User } from '../users/users.ts';
import { RoleAssignments } from './role-assignments.tsx';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

interface ServiceUserProperties {
  readonly org: string;
  readonly user: User;
}

/** The account of a program: what it proves itself by, and what it may do. */
export function ServiceUserPage() {
  const { org = '', user: id = '' } = useParams({ strict: false });
  const may = useMay(org);
  const mayWrite = may('user.write');
  const params = { ...inOrganization(org), path: { id } };
  const found = useQuery({
    queryKey: ['users', org, id],
    queryFn: async () => (await answered(api.GET('/management/v1/users/{id}', { params }))).user,
  });
  if (found.error) return <Failure error={found.error} onRetry={() => void found.refetch()} />;
  if (found.data === undefined) return <LoadingPage />;
  const user = found.data;
  return (
    <div className="console-page">
      <PageHead
        title={nameOf(user)}
        lead={
          <Group gap="xs">
            <Text span>{user.userName}</Text>
            <State {...USER_STATES[user.state]} />
          </Group>
        }
        back={
          <AppLink size="sm" to="/orgs/$org/service-users" params={{ org }}>
            {t.back}
          </AppLink>
        }
        actions={mayWrite && <Actions org={org} user={user} />}
      />
      <Tokens org={org} user={id} mayWrite={mayWrite} />
      <Keys
        queryKey={['users', org, id, 'keys']}
        fileName={`${user.userName}-key.json`}
        lead={t.sections.keysLead}
        mayWrite={mayWrite}
        find={async () =>
          (
            await answered(
              api.GET('/management/v1/users/{id}/keys', { params: { ...params, query: { limit: '100' } } }),
            )
          ).result ?? []
        }
        add={async (body) => await answered(api.POST('/management/v1/users/{id}/keys', { params, body }))}
        remove={async (keyId) =>
          await answered(
            api.DELETE('/management/v1/users/{id}/keys/{keyId}', {
              params: { ...params, path: { id, keyId } },
            }),
          )
        }
      />
      {mayWrite && <MachineSecret org={org} user={id} />}
      {may('user.grant.read') && (
        <RoleAssignments org={org} user={id} mayWrite={may('user.grant.write') && may('project.read')} />
      )}
      <Settings key={id} org={org} user={user} mayWrite={mayWrite} />
      <Section title={t.sections.about}>
        <Facts
          facts={[
            [t.fields.id, <Copied key="id" value={user.id} />],
            [t.fields.loginName, user.preferredLoginName],
            [t.fields.created, momentOf(user.details.creationDate)],
            [t.fields.changed, momentOf(user.details.changeDate)],
          ]}
        />
      </Section>
      {mayWrite && <Deletion org={org} user={user} />}
    </div>
  );
}

function Actions({ org, user }: ServiceUserProperties) {
  const params = { ...inOrganization(org), path: { id: user.id } };
  const stale = [['users', org]];
  const lock = useAct({
    call: async () => await answered(api.POST('/management/v1/users/{id}/_lock', { params })),
    stale,
    done: t.done.locked,
  });
  const unlock = useAct({
    call: async () => await answered(api.POST('/management/v1/users/{id}/_unlock', { params })),
    stale,
    done: t.done.unlocked,
  });
  const deactivate = useAct({
    call: async () => await answered(api.POST('/management/v1/users/{id}/_deactivate', { params })),
    stale,
    done: t.done.deactivated,
  });
  const reactivate = useAct({
    call: async () => await answered(api.POST('/management/v1/users/{id}/_reactivate', { params })),
    stale,
    done: t.done.reactivated,
  });
  return (
    <>
      {user.state === 'USER_STATE_LOCKED' ? (
        <Button variant="default" loading={unlock.isPending} onClick={() => unlock.mutate()}>
          {t.act.unlock}
        </Button>
      ) : (
        user.state !== 'USER_STATE_INACTIVE' && (
          <Confirm
            label={t.act.lock}
            title={`${t.act.lock}: ${nameOf(user)}`}
            text={t.act.lockText}
            isWorking={lock.isPending}
            onConfirm={() => lock.mutate()}
          />
        )
      )}
      {user.state === 'USER_STATE_INACTIVE' ? (
        <Button variant="default" loading={reactivate.isPending} onClick={() => reactivate.mutate()}>
          {t.act.reactivate}
        </Button>
      ) : (
        <Confirm
          label={t.act.deactivate}
          title={`${t.act.deactivate}: ${nameOf(user)}`}
          text={t.act.deactivateText}
          isWorking={deactivate.isPending}
          onConfirm={() => deactivate.mutate()}
        />
      )}
    </>
  );
}

type Values = Required<Sent<'/management/v1/users/{id}/machine', 'put'>>;

function Settings({ org, user, mayWrite }: ServiceUserProperties & { readonly mayWrite: boolean }) {
  const initialValues: Values = {
    name: user.machine?.name ?? '',
    description: user.machine?.description ?? '',
    accessTokenType: user.machine?.accessTokenType ?? 'ACCESS_TOKEN_TYPE_BEARER',
  };
  const form = useForm({ mode: 'controlled', initialValues });
  useDraft(`service-user-${user.id}`, form.values, form.isDirty(), form.setValues);
  const save = useAct({
    call: async (values: Values) => {
      await answered(
        api.PUT('/management/v1/users/{id}/machine', {
          params: { ...inOrganization(org), path: { id: user.id } },
          body: { ...values, name: values.name.trim(), description: values.description.trim() },
        }),
      );
      return values;
    },
    stale: [['users', org]],
    done: s.form.saved,
    quiet: true,
    onDone: (values) => {
      form.setInitialValues(values);
      form.resetDirty(values);
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Section title={t.sections.settings}>
        <Stack maw={640}>
          <TextInput
            label={t.fields.name}
            required
            maxLength={200}
            readOnly={!mayWrite}
            {...form.getInputProps('name')}
          />
          <Textarea
            label={t.fields.description}
            autosize
            minRows={1}
            maxLength={500}
            readOnly={!mayWrite}
            {...form.getInputProps('description')}
          />
          <Select
            label={t.fields.accessTokenType}
            description={t.fields.accessTokenTypeHelp}
            data={[
              { value: 'ACCESS_TOKEN_TYPE_BEARER', label: t.fields.opaque },
              { value: 'ACCESS_TOKEN_TYPE_JWT', label: t.fields.jwt },
            ]}
            allowDeselect={false}
            disabled={!mayWrite}
            {...form.getInputProps('accessTokenType')}
          />
        </Stack>
      </Section>
      <SaveBar
        isDirty={form.isDirty()}
        isSaving={save.isPending}
        error={save.error}
        onDiscard={() => form.reset()}
      />
    </form>
  );
}

function Deletion({ org, user }: ServiceUserProperties) {
  const navigate = useNavigate();
  const remove = useAct({
    call: async () =>
      await answered(
        api.DELETE('/management/v1/users/{id}', {
          params: { ...inOrganization(org), path: { id: user.id } },
        }),
      ),
    stale: [['users', org, 'machines']],
    done: t.done.deleted,
    onDone: () => void navigate({ to: '/orgs/$org/service-users', params: { org } }),
  });
  return (
    <Section
      danger
      title={t.act.delete}
      lead={t.act.deleteText}
      action={
        <Confirm
          danger
          label={t.act.delete}
          title={`${t.act.delete}: ${nameOf(user)}`}
          text={t.act.deleteText}
          word={user.userName}
          isWorking={remove.isPending}
          onConfirm={() => remove.mutate()}
        />
      }
    />
  );
}
