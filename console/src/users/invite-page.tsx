import { Checkbox, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate, useParams } from '@tanstack/react-router';
import membersDe from '../../../locales/console/de/members.json';
import de from '../../../locales/console/de/users.json';
import members from '../../../locales/console/en/members.json';
import en from '../../../locales/console/en/users.json';
import { answered, api, inOrganization, type Sent } from '../api/client.ts';
import { useMay } from '../app/permissions.ts';
import { say, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { forgetDraft, useDraft } from '../shared/draft.ts';
import { AppLink } from '../shared/links.tsx';
import { NewPage } from '../shared/new-page.tsx';
import { languageName, LANGUAGES } from '../sign-in/branding.ts';

const t = words({ en, de });
const m = words({ en: members, de: membersDe });

type Role = Sent<'/management/v1/orgs/me/members', 'post'>['roles'][number];
const ROLES = Object.keys(m.names).filter((role): role is Role & keyof typeof m.names =>
  role.startsWith('ORG_'),
);

const NOTHING = {
  email: '',
  firstName: '',
  lastName: '',
  language: '',
  roles: [] as string[],
  /** Made by a try whose second half failed: asked for again, the account is there already. */
  made: { email: '', userId: '' },
};
type Values = typeof NOTHING;

/** Asks somebody in: they get a mail with a link to set their password, and are what they are to be from then on. */
export function InvitePage() {
  const { org = '' } = useParams({ strict: false });
  const may = useMay(org);
  const navigate = useNavigate();
  const form = useForm<Values>({ mode: 'controlled', initialValues: NOTHING });
  const draft = `invite-${org}`;
  useDraft(draft, form.values, form.isDirty(), form.setValues);
  const invite = useAct({
    call: async (values: Values) => {
      const email = values.email.trim();
      const userId = values.made.email === email ? values.made.userId : await add(org, values);
      if (values.roles.length > 0) {
        form.setFieldValue('made', { email, userId });
        await answered(
          api.POST('/management/v1/orgs/me/members', {
            params: inOrganization(org),
            body: { userId, roles: values.roles as Role[] },
          }),
        );
      }
      return { userId, email };
    },
    stale: [
      ['users', org],
      ['members', org],
    ],
    done: ({ email }) => say(t.invite.done, { email }),
    quiet: true,
    onDone: ({ userId }) => {
      form.resetDirty();
      forgetDraft(draft);
      void navigate({
        to: '/orgs/$org/users/$user',
        params: { org, user: userId },
        ignoreBlocker: true,
      });
    },
  });
  return (
    <NewPage
      title={t.invite.title}
      lead={t.invite.lead}
      back={
        <AppLink size="sm" to="/orgs/$org/users" params={{ org }}>
          {t.back}
        </AppLink>
      }
      form={form}
      make={invite}
      submit={t.invite.submit}
    >
      <Stack gap="lg">
        <TextInput
          label={t.fields.email}
          description={t.invite.emailHelp}
          type="email"
          required
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('email')}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={t.fields.firstName}
            required
            maxLength={200}
            autoComplete="off"
            {...form.getInputProps('firstName')}
          />
          <TextInput
            label={t.fields.lastName}
            required
            maxLength={200}
            autoComplete="off"
            {...form.getInputProps('lastName')}
          />
        </SimpleGrid>
        <Select
          label={t.invite.language}
          placeholder={t.invite.languageUsual}
          clearable
          data={LANGUAGES.map((value) => ({ value, label: languageName(value) }))}
          value={form.values.language === '' ? null : form.values.language}
          onChange={(value) => form.setFieldValue('language', value ?? '')}
        />
        {may('org.member.write') && (
          <Checkbox.Group
            label={t.invite.roles}
            description={t.invite.rolesHelp}
            {...form.getInputProps('roles')}
          >
            <Stack gap="sm" mt="sm">
              {ROLES.map((role) => (
                <Checkbox
                  key={role}
                  value={role}
                  label={m.names[role].label}
                  description={m.names[role].help}
                />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
      </Stack>
    </NewPage>
  );
}

async function add(org: string, { email, firstName, lastName, language }: Values): Promise<string> {
  const { userId } = await answered(
    api.POST('/management/v1/users/human', {
      params: inOrganization(org),
      body: {
        userName: email.trim(),
        profile: {
          firstName: firstName.trim(),
          lastName: lastName.trim(),
          ...(language !== '' && { preferredLanguage: language }),
        },
        email: { email: email.trim() },
      },
    }),
  );
  return userId;
}
