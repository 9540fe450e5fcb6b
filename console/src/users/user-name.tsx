import { TextInput } from '@mantine/core';
import de from '../../../locales/console/de/users.json';
import en from '../../../locales/console/en/users.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { words } from '../app/words.ts';
import { Section } from '../shared/section.tsx';
import { SettingsForm } from '../shared/settings-form.tsx';
import type { User } from './users.ts';

const t = words({ en, de });

interface UserNameProperties {
  readonly org: string;
  readonly user: User;
  readonly mayWrite: boolean;
}

/** What a user types to sign in. */
export function UserName({ org, user, mayWrite }: UserNameProperties) {
  if (!mayWrite) return null;
  return (
    <SettingsForm
      bare
      name={`user-name-${user.id}`}
      what={t.sections.signInName}
      initial={{ userName: user.userName }}
      sequence={user.details.sequence}
      save={async ({ userName }, sequence) =>
        await answered(
          api.PUT('/management/v1/users/{id}/username', {
            params: { ...inOrganization(org, sequence), path: { id: user.id } },
            body: { userName: userName.trim() },
          }),
        )
      }
      stale={[['users', org]]}
      done={t.done.renamed}
    >
      {(form) => (
        <Section title={t.sections.signInName} lead={t.sections.signInNameLead}>
          <TextInput
            aria-label={t.fields.userName}
            required
            maxLength={200}
            maw={480}
            autoComplete="off"
            {...form.getInputProps('userName')}
          />
        </Section>
      )}
    </SettingsForm>
  );
}
