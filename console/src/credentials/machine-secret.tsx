import { Group } from '@mantine/core';
import { useState } from 'react';
import de from '../../../locales/console/de/credentials.json';
import en from '../../../locales/console/en/credentials.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { Secret } from '../shared/secret.tsx';
import { Section } from '../shared/section.tsx';

const t = words({ en, de });

/** The secret of a service user. Whether there is one, nobody is told: making it ends the one before. */
export function MachineSecret({ org, user }: { readonly org: string; readonly user: string }) {
  const params = { ...inOrganization(org), path: { id: user } };
  const [secret, setSecret] = useState<string>();
  const make = useAct({
    call: async () => await answered(api.PUT('/management/v1/users/{id}/secret', { params })),
    stale: [['users', org, user]],
    onDone: ({ clientSecret }) => setSecret(clientSecret),
  });
  const remove = useAct({
    call: async () => await answered(api.DELETE('/management/v1/users/{id}/secret', { params })),
    stale: [['users', org, user]],
    done: t.secret.removed,
    onDone: () => setSecret(undefined),
  });
  return (
    <Section
      title={t.secret.title}
      lead={t.secret.lead}
      action={
        <Group gap="xs">
          <Confirm
            danger
            variant="subtle"
            label={t.secret.remove}
            title={t.secret.remove}
            text={t.secret.removeText}
            isWorking={remove.isPending}
            onConfirm={() => remove.mutate()}
          />
          <Confirm
            label={t.secret.add}
            title={t.secret.add}
            text={t.secret.addText}
            isWorking={make.isPending}
            onConfirm={() => make.mutate()}
          />
        </Group>
      }
    >
      {secret === undefined ? undefined : <Secret title={t.secret.made} value={secret} />}
    </Section>
  );
}
