import { Button, Text } from '@mantine/core';
import { lazy, useState } from 'react';
import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import { Icon } from '../shared/icon.tsx';
import { Later } from './later.tsx';
import { useOrganizationName } from './organization-name.ts';
import { useMayInInstance, useOwnPermissions } from './permissions.ts';
import { words } from './words.ts';

const t = words({ en, de });
const load = async () => await import('./organization-choice.tsx');
/** What fails is loaded again, and told, where it is wanted. */
const loadAhead = () => void load().catch(() => undefined);
const OrganizationChoice = lazy(async () => ({ default: (await load()).OrganizationChoice }));

/** The organization that the address is about. What it can be switched to is loaded by whoever is about to. */
export function OrganizationSwitch({ orgId }: { readonly orgId: string }) {
  const { data: own } = useOwnPermissions();
  const seesAll = useMayInInstance()('iam.read');
  const current = useOrganizationName(orgId) ?? '';
  const [isWanted, setWanted] = useState(false);
  if (!seesAll && (own?.organizations.length ?? 0) < 2) {
    return (
      <Text fw={600} truncate>
        {current}
      </Text>
    );
  }
  const button = (onClick: () => void) => (
    <Button
      variant="subtle"
      color="gray"
      c="var(--mantine-color-text)"
      px="xs"
      rightSection={<Icon name="chevron" size={14} />}
      onClick={onClick}
      onPointerEnter={loadAhead}
      onFocus={loadAhead}
      aria-haspopup="listbox"
      aria-label={`${t.nav.switch}: ${current}`}
      maw={280}
    >
      <Text span truncate fw={600}>
        {current}
      </Text>
    </Button>
  );
  if (!isWanted) return button(() => setWanted(true));
  return (
    <Later fallback={button(() => undefined)}>
      <OrganizationChoice orgId={orgId} target={button} />
    </Later>
  );
}
