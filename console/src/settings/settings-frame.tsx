import { Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import de from '../../../locales/console/de/settings.json';
import en from '../../../locales/console/en/settings.json';
import { say, since, words } from '../app/words.ts';
import { Unread } from '../shared/found.tsx';
import { LoadingRows } from '../shared/loading.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { SubPlaces } from '../shared/sub-places.tsx';
import type { Frame } from '../sign-in/sign-in-frame.tsx';

const t = words({ en, de });

interface SettingsFrameProperties<Found> {
  readonly title: string;
  readonly lead: string;
  readonly found: UseQueryResult<Found>;
  readonly children: (found: Found) => ReactNode;
}

/** What all pages of the instance's settings have. */
export const SettingsShell: Frame = ({ title, lead, back, actions, children }) => {
  return (
    <div className="console-page">
      <SubPlaces
        label={t.title}
        places={[
          { path: '/instance/settings', label: t.tokens.nav },
          { path: '/instance/settings/security', label: t.security.nav },
          { path: '/instance/settings/factors', label: t.factors.nav },
          { path: '/instance/settings/texts', label: t.texts },
          { path: '/instance/settings/identity-providers', label: t.providers },
        ]}
      />
      <PageHead title={title} lead={lead} back={back} actions={actions} />
      {children}
    </div>
  );
};

/** Those that are about one thing, which is asked for first. */
export function SettingsFrame<Found>({ title, lead, found, children }: SettingsFrameProperties<Found>) {
  return (
    <SettingsShell title={title} lead={lead}>
      <Unread found={found} />
      {found.data === undefined && !found.error && <LoadingRows rows={4} />}
      {found.data !== undefined && children(found.data)}
    </SettingsShell>
  );
}

/** Whether anybody has set it, and when. */
export function SetWhen({
  isDefault,
  usual,
  set,
  at,
}: {
  readonly isDefault: boolean;
  readonly usual: string;
  readonly set: string;
  readonly at: string | undefined;
}) {
  return (
    <Text size="sm" c="dimmed" mb="md" maw={640}>
      {isDefault ? usual : say(set, { when: since(at) })}
    </Text>
  );
}
