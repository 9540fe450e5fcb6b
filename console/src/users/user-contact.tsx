import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import de from '../../../locales/console/de/users.json';
import en from '../../../locales/console/en/users.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { say, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { Section } from '../shared/section.tsx';
import { SettingsForm } from '../shared/settings-form.tsx';
import { State } from '../shared/state.tsx';
import type { User } from './users.ts';

const t = words({ en, de });

interface UserContactProperties {
  readonly org: string;
  readonly user: User;
  readonly mayWrite: boolean;
}

/** How a person is reached: what is verified, what waits for a code. */
export function UserContact(properties: UserContactProperties) {
  return (
    <>
      <Email {...properties} />
      <Phone {...properties} />
    </>
  );
}

function Verified({ value, is }: { readonly value: string; readonly is: boolean }) {
  return (
    <Group gap="xs" mb="md">
      <Text span fw={600} style={{ overflowWrap: 'anywhere' }}>
        {value}
      </Text>
      <State tone={is ? 'good' : 'warning'} label={is ? t.fields.verified : t.fields.notVerified} />
    </Group>
  );
}

function Email({ org, user, mayWrite }: UserContactProperties) {
  const params = { ...inOrganization(org), path: { id: user.id } };
  const stale = [['users', org]];
  const { email = '', isEmailVerified = false, pendingEmail } = user.human?.email ?? {};
  const resend = useAct({
    call: async () =>
      await answered(api.POST('/management/v1/users/{id}/email/_resend_verification', { params })),
    stale,
    done: t.done.verification,
  });
  const giveUp = useAct({
    call: async () =>
      await answered(
        api.PUT('/management/v1/users/{id}/email', {
          // the address that is shown, not one that somebody else has set meanwhile
          params: { ...inOrganization(org, user.details.sequence), path: { id: user.id } },
          body: { email, isEmailVerified: true },
        }),
      ),
    stale,
    done: t.contact.givenUp,
  });
  const waits = pendingEmail !== undefined || !isEmailVerified;
  return (
    <Section title={t.sections.email} lead={t.sections.emailLead}>
      <Verified value={email} is={isEmailVerified} />
      {pendingEmail !== undefined && (
        <Text size="sm" mb="md">
          {say(t.contact.pending, { address: pendingEmail })}
        </Text>
      )}
      {mayWrite && waits && (
        <Group gap="xs" mb="md">
          <Button variant="default" size="xs" loading={resend.isPending} onClick={() => resend.mutate()}>
            {t.contact.resendEmail}
          </Button>
          {pendingEmail !== undefined && (
            <Button variant="default" size="xs" loading={giveUp.isPending} onClick={() => giveUp.mutate()}>
              {t.contact.giveUp}
            </Button>
          )}
        </Group>
      )}
      {mayWrite && (
        <SettingsForm
          bare
          key={`${email} ${String(isEmailVerified)}`}
          name={`user-email-${user.id}`}
          initial={{ email, isVerified: false }}
          sequence={user.details.sequence}
          save={async (values, sequence) =>
            await answered(
              api.PUT('/management/v1/users/{id}/email', {
                params: { ...inOrganization(org, sequence), path: { id: user.id } },
                body: { email: values.email.trim(), isEmailVerified: values.isVerified },
              }),
            )
          }
          stale={stale}
          done={t.done.emailChanged}
        >
          {(form) => (
            <Stack maw={480}>
              <TextInput
                label={t.fields.email}
                type="email"
                required
                autoComplete="off"
                {...form.getInputProps('email')}
              />
              {(!isEmailVerified || form.values.email !== email) && (
                <Checkbox
                  label={t.fields.verifiedByYou}
                  description={t.fields.verifiedByYouHelp}
                  {...form.getInputProps('isVerified', { type: 'checkbox' })}
                />
              )}
            </Stack>
          )}
        </SettingsForm>
      )}
    </Section>
  );
}

function Phone({ org, user, mayWrite }: UserContactProperties) {
  const params = { ...inOrganization(org), path: { id: user.id } };
  const stale = [['users', org]];
  const { phone = '', isPhoneVerified = false } = user.human?.phone ?? {};
  const resend = useAct({
    call: async () =>
      await answered(api.POST('/management/v1/users/{id}/phone/_resend_verification', { params })),
    stale,
    done: t.contact.smsSent,
  });
  const remove = useAct({
    call: async () => await answered(api.DELETE('/management/v1/users/{id}/phone', { params })),
    stale,
    done: t.contact.phoneRemoved,
  });
  return (
    <Section
      title={t.sections.phone}
      lead={t.sections.phoneLead}
      action={
        mayWrite &&
        phone !== '' && (
          <Confirm
            danger
            size="xs"
            label={t.contact.removePhone}
            title={t.contact.removePhone}
            text={t.contact.removePhoneText}
            isWorking={remove.isPending}
            onConfirm={() => remove.mutate()}
          />
        )
      }
    >
      {phone === '' ? (
        <Text c="dimmed" mb="md">
          {t.contact.noPhone}
        </Text>
      ) : (
        <Verified value={phone} is={isPhoneVerified} />
      )}
      {mayWrite && phone !== '' && !isPhoneVerified && (
        <Group mb="md">
          <Button variant="default" size="xs" loading={resend.isPending} onClick={() => resend.mutate()}>
            {t.contact.resendPhone}
          </Button>
        </Group>
      )}
      {mayWrite && (
        <SettingsForm
          bare
          key={`${phone} ${String(isPhoneVerified)}`}
          name={`user-phone-${user.id}`}
          initial={{ phone, isVerified: false }}
          sequence={user.details.sequence}
          save={async (values, sequence) =>
            await answered(
              api.PUT('/management/v1/users/{id}/phone', {
                params: { ...inOrganization(org, sequence), path: { id: user.id } },
                body: { phone: values.phone.trim(), isPhoneVerified: values.isVerified },
              }),
            )
          }
          stale={stale}
          done={t.done.phoneChanged}
        >
          {(form) => (
            <Stack maw={480}>
              <TextInput
                label={t.fields.phone}
                description={t.fields.phoneHelp}
                type="tel"
                required
                autoComplete="off"
                {...form.getInputProps('phone')}
              />
              {(!isPhoneVerified || form.values.phone !== phone) && (
                <Checkbox
                  label={t.fields.numberVerifiedByYou}
                  description={t.fields.numberVerifiedByYouHelp}
                  {...form.getInputProps('isVerified', { type: 'checkbox' })}
                />
              )}
            </Stack>
          )}
        </SettingsForm>
      )}
    </Section>
  );
}
