import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate, useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/users.json';
import en from '../../../locales/console/en/users.json';
import { answered, api, inOrganization, type Sent } from '../api/client.ts';
import { words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { forgetDraft, useDraft, useLostSecret } from '../shared/draft.ts';
import { AppLink } from '../shared/links.tsx';
import { NewPage } from '../shared/new-page.tsx';
import { SecretInput } from '../shared/secret-input.tsx';

const t = words({ en, de });

const NOTHING = {
  firstName: '',
  lastName: '',
  email: '',
  userName: '',
  phone: '',
  password: '',
  isEmailVerified: false,
};
type Values = typeof NOTHING;

function bodyOf(values: Values): Sent<'/management/v1/users/human', 'post'> {
  const { firstName, lastName, email, userName, phone, password, isEmailVerified } = values;
  return {
    userName: userName.trim() === '' ? email.trim() : userName.trim(),
    profile: { firstName: firstName.trim(), lastName: lastName.trim() },
    email: { email: email.trim(), ...(isEmailVerified && { isEmailVerified }) },
    ...(phone.trim() !== '' && { phone: { phone: phone.trim() } }),
    ...(password !== '' && { password, passwordChangeRequired: true }),
  };
}

/** Adds one person. Whoever has many imports them. */
export function NewUserPage() {
  const { org = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const form = useForm<Values>({ mode: 'controlled', initialValues: NOTHING });
  const draft = `user-new-${org}`;
  // not the password
  useDraft(draft, { ...form.values, password: '' }, form.isDirty(), form.setValues);
  const isSecretLost = useLostSecret(draft, form.values.password !== '', form.isDirty());
  const add = useAct({
    call: async (values: Values) =>
      await answered(
        api.POST('/management/v1/users/human', { params: inOrganization(org), body: bodyOf(values) }),
      ),
    stale: [['users', org]],
    done: t.done.added,
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
      title={t.new.title}
      lead={t.new.lead}
      back={
        <AppLink size="sm" to="/orgs/$org/users" params={{ org }}>
          {t.back}
        </AppLink>
      }
      form={form}
      make={add}
      submit={t.new.submit}
      isSecretLost={isSecretLost}
    >
      <Stack>
        <TextInput label={t.fields.firstName} required {...form.getInputProps('firstName')} />
        <TextInput label={t.fields.lastName} required {...form.getInputProps('lastName')} />
        <TextInput label={t.email} type="email" required {...form.getInputProps('email')} />
        <Checkbox
          label={t.new.emailVerified}
          description={t.new.emailVerifiedHelp}
          {...form.getInputProps('isEmailVerified', { type: 'checkbox' })}
        />
        <TextInput label={t.phone} type="tel" {...form.getInputProps('phone')} />
        <TextInput
          label={t.new.userName}
          description={t.new.userNameHelp}
          autoComplete="off"
          {...form.getInputProps('userName')}
        />
        <SecretInput
          label={t.new.password}
          description={t.new.passwordHelp}
          autoComplete="new-password"
          show={t.new.showPassword}
          {...form.getInputProps('password')}
        />
      </Stack>
    </NewPage>
  );
}
