import { Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/service-users.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/service-users.json';
import shared from '../../../locales/console/en/shared.json';
import { answered, api, inOrganization, type Sent } from '../api/client.ts';
import { useMay } from '../app/permissions.ts';
import { momentOf, words } from '../app/words.ts';
import { inAddress } from '../credentials/credentials.ts';
import { Keys } from '../credentials/keys.tsx';
import { MachineSecret } from '../credentials/machine-secret.tsx';
import { Tokens } from '../credentials/tokens.tsx';
import { Deletion } from '../shared/deletion.tsx';
import { Found } from '../shared/found.tsx';
import { AppLink } from '../shared/links.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { Copied } from '../shared/secret.tsx';
import { Facts, Section } from '../shared/section.tsx';
import { SettingsForm } from '../shared/settings-form.tsx';
import { State } from '../shared/state.tsx';
import { AccountActions } from '../users/account-actions.tsx';
import { RoleAssignments } from '../users/role-assignments.tsx';
import { nameOf, USER_STATES, type User } from '../users/users.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

interface ServiceUserProperties {
  readonly org: string;
  readonly user: User;
}

/** The account of a program: what it proves itself by, and what it may do. */
export function ServiceUserPage() {
  const { org = '', user: id = '' } = useParams({ strict: false });
  const params = { ...inOrganization(org), path: { id } };
  const found = useQuery({
    queryKey: ['users', org, id],
    queryFn: async () => (await answered(api.GET('/management/v1/users/{id}', { params }))).user,
  });
  return <Found found={found}>{(user) => <OneServiceUser key={user.id} org={org} user={user} />}</Found>;
}

function OneServiceUser({ org, user }: ServiceUserProperties) {
  const { id } = user;
  const may = useMay(org);
  const mayWrite = may('user.write');
  const navigate = useNavigate();
  const params = { ...inOrganization(org), path: { id } };
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
        actions={mayWrite && <AccountActions org={org} user={user} words={t} />}
      />
      <Tokens org={org} user={id} mayWrite={mayWrite} />
      <Keys
        queryKey={['users', org, id, 'keys']}
        fileName={`${user.userName}-key.json`}
        lead={t.sections.keysLead}
        mayWrite={mayWrite}
        find={async (search) =>
          await answered(
            api.GET('/management/v1/users/{id}/keys', { params: { ...params, query: inAddress(search) } }),
          )
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
        <RoleAssignments
          org={org}
          user={id}
          mayWrite={may('user.grant.write') && may('project.read')}
          mayRead={may('project.read')}
        />
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
      {mayWrite && (
        <Deletion
          title={t.act.delete}
          label={t.act.delete}
          name={nameOf(user)}
          text={t.act.deleteText}
          word={user.userName}
          remove={async () => await answered(api.DELETE('/management/v1/users/{id}', { params }))}
          stale={[['users', org, 'machines']]}
          done={t.done.deleted}
          onGone={() =>
            void navigate({ to: '/orgs/$org/service-users', params: { org }, ignoreBlocker: true })
          }
        />
      )}
    </div>
  );
}

type Values = Required<Sent<'/management/v1/users/{id}/machine', 'put'>>;

function Settings({ org, user, mayWrite }: ServiceUserProperties & { readonly mayWrite: boolean }) {
  const initial: Values = {
    name: user.machine?.name ?? '',
    description: user.machine?.description ?? '',
    accessTokenType: user.machine?.accessTokenType ?? 'ACCESS_TOKEN_TYPE_BEARER',
  };
  return (
    <SettingsForm<Values>
      bare
      name={`service-user-${user.id}`}
      what={t.sections.settings}
      initial={initial}
      sequence={user.details.sequence}
      save={async (values, sequence) =>
        await answered(
          api.PUT('/management/v1/users/{id}/machine', {
            params: { ...inOrganization(org, sequence), path: { id: user.id } },
            body: { ...values, name: values.name.trim(), description: values.description.trim() },
          }),
        )
      }
      stale={[['users', org]]}
      done={s.form.saved}
    >
      {(form) => (
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
      )}
    </SettingsForm>
  );
}
