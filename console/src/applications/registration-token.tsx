import { Group } from '@mantine/core';
import { useState } from 'react';
import de from '../../../locales/console/de/applications.json';
import en from '../../../locales/console/en/applications.json';
import { answered, api } from '../api/client.ts';
import { words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { Secret } from '../shared/secret.tsx';
import { Section } from '../shared/section.tsx';
import { applicationParams, type Where } from './applications.ts';

const t = words({ en, de }).registrationToken;

/** By what an application that registered itself changes that: another one where it leaked, or none. */
export function RegistrationToken({ where }: { readonly where: Where }) {
  const params = applicationParams(where);
  const stale = [['applications', where.org, where.project]];
  const [token, setToken] = useState<string>();
  const make = useAct({
    call: async () =>
      await answered(
        api.POST('/management/v1/projects/{projectId}/apps/{appId}/_generate_registration_token', { params }),
      ),
    stale,
    done: t.made,
    onDone: ({ registrationAccessToken }) => setToken(registrationAccessToken),
  });
  const end = useAct({
    call: async () =>
      await answered(
        api.DELETE('/management/v1/projects/{projectId}/apps/{appId}/registration_token', { params }),
      ),
    stale,
    done: t.ended,
    onDone: () => setToken(undefined),
  });
  return (
    <Section
      title={t.title}
      lead={t.lead}
      action={
        <Group gap="xs">
          <Confirm
            label={t.make}
            title={t.make}
            text={t.makeText}
            isWorking={make.isPending}
            onConfirm={() => make.mutate()}
          />
          <Confirm
            label={t.end}
            title={t.end}
            text={t.endText}
            danger
            isWorking={end.isPending}
            onConfirm={() => end.mutate()}
          />
        </Group>
      }
    >
      {token !== undefined && <Secret title={t.title} value={token} />}
    </Section>
  );
}
