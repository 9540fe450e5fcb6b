import { Checkbox, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
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
import { HalfMade } from '../shared/half-made.tsx';
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
  /** The id of the account that a try has made whose second half failed. */
  made: '',
};
type Values = typeof NOTHING;

/** Asks somebody in: they get a mail with a link to set their password, and are what they are to be from then on. */
export function InvitePage() {
  const { org = '' } = useParams({ strict: false });
  const may = useMay(org);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const form = useForm<Values>({ mode: 'controlled', initialValues: NOTHING });
  const draft = `invite-${org}`;
  useDraft(draft, form.values, form.isDirty(), (kept) => {
    // a draft of the release before has something else there
    form.setValues({ ...kept, made: typeof kept.made === 'string' ? kept.made : '' });
  });
  const invite = useAct({
    call: async ({ made, roles, ...values }: Values) => {
      const email = values.email.trim();
      const userId = made === '' ? await add(org, values) : made;
      if (roles.length > 0) {
        // as the account has them: nothing of it is sent again
        form.setValues({ ...values, made: userId });
        void queries.invalidateQueries({ queryKey: ['users', org] });
        await answered(
          api.POST('/management/v1/orgs/me/members', {
            params: inOrganization(org),
            body: { userId, roles: roles as Role[] },
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
  const isMade = form.values.made !== '';
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
        {isMade && !invite.isPending && (
          <HalfMade
            text={t.invite.made}
            link={
              <AppLink size="sm" to="/orgs/$org/users/$user" params={{ org, user: form.values.made }}>
                {t.invite.openMade}
              </AppLink>
            }
          />
        )}
        <TextInput
          label={t.fields.email}
          description={t.invite.emailHelp}
          type="email"
          required
          readOnly={isMade}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('email')}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={t.fields.firstName}
            required
            readOnly={isMade}
            maxLength={200}
            autoComplete="off"
            {...form.getInputProps('firstName')}
          />
          <TextInput
            label={t.fields.lastName}
            required
            readOnly={isMade}
            maxLength={200}
            autoComplete="off"
            {...form.getInputProps('lastName')}
          />
        </SimpleGrid>
        <Select
          label={t.invite.language}
          placeholder={t.invite.languageUsual}
          clearable={!isMade}
          readOnly={isMade}
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

async function add(
  org: string,
  { email, firstName, lastName, language }: Omit<Values, 'made' | 'roles'>,
): Promise<string> {
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
