import { Button, Checkbox, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import de from '../../../locales/console/de/users.json';
import en from '../../../locales/console/en/users.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { momentOf, say, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Decision } from '../shared/decision.tsx';
import { Failure } from '../shared/failure.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { SecretInput } from '../shared/secret-input.tsx';
import { Secret } from '../shared/secret.tsx';
import { Section } from '../shared/section.tsx';
import type { User } from './users.ts';

const t = words({ en, de });

interface UserProperties {
  readonly org: string;
  readonly user: User;
}

const NOTHING = { password: '', passwordChangeRequired: true };

/** A password that a manager tells the user. It is in the memory of this page alone, which nobody is led away from for a fresh sign-in. */
export function SetPassword({ org, user }: UserProperties) {
  const [opened, { open, close }] = useDisclosure(false);
  const form = useForm({ mode: 'controlled', initialValues: NOTHING });
  const set = useAct({
    call: async (body: typeof NOTHING) =>
      await answered(
        api.POST('/management/v1/users/{id}/password', {
          params: { ...inOrganization(org), path: { id: user.id } },
          body,
        }),
      ),
    stale: [['users', org, user.id]],
    done: t.password.done,
    quiet: true,
    stays: true,
    onDone: leave,
  });
  function leave(): void {
    form.reset();
    close();
  }
  return (
    <>
      <Section
        title={t.password.title}
        lead={t.password.lead}
        action={
          <Button
            variant="default"
            onClick={() => {
              set.reset();
              open();
            }}
          >
            {t.password.set}
          </Button>
        }
      />
      <FormDialog
        title={t.password.set}
        opened={opened}
        isDirty={form.isDirty()}
        onClose={close}
        onDiscard={leave}
        notice={set.error && <Failure error={set.error} stays />}
        onSubmit={form.onSubmit((values) => set.mutate(values))}
        submit={t.password.set}
        isWorking={set.isPending}
      >
        <Text size="sm">{t.password.text}</Text>
        <SecretInput
          label={t.password.new}
          required
          autoComplete="new-password"
          data-autofocus
          show={t.new.showPassword}
          {...form.getInputProps('password')}
        />
        <Checkbox
          label={t.password.mustChange}
          description={t.password.mustChangeHelp}
          {...form.getInputProps('passwordChangeRequired', { type: 'checkbox' })}
        />
      </FormDialog>
    </>
  );
}

/** A link by which the user adds a passkey. The service mails none: whoever made it passes it on. */
export function PasskeyLink({ org, user }: UserProperties) {
  const [link, setLink] = useState<{ readonly url: string; readonly until: string }>();
  const make = useAct({
    call: async () =>
      await answered(
        api.POST('/management/v1/users/{id}/passwordless/_link', {
          params: { ...inOrganization(org), path: { id: user.id } },
        }),
      ),
    stale: [['users', org, user.id]],
    onDone: ({ link: url, expiration }) => {
      const seconds = Number(expiration.replace('s', ''));
      setLink({ url, until: new Date(Date.now() + seconds * 1000).toISOString() });
    },
  });
  return (
    <Decision
      title={t.passkeyLink.title}
      lead={t.passkeyLink.lead}
      label={t.passkeyLink.make}
      text={t.passkeyLink.text}
      isWorking={make.isPending}
      onConfirm={() => make.mutate()}
    >
      {link === undefined ? undefined : (
        <>
          <Secret title={t.passkeyLink.made} value={link.url} />
          <Text size="sm" c="dimmed">
            {say(t.passkeyLink.until, { when: momentOf(link.until) })}
          </Text>
        </>
      )}
    </Decision>
  );
}
