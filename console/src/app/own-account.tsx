import { ActionIcon, VisuallyHidden } from '@mantine/core';
import { lazy, useState, type Ref } from 'react';
import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import { Later } from './later.tsx';
import { OwnAvatar, ownName } from './own-avatar.tsx';
import { useMe } from './permissions.ts';
import { words } from './words.ts';

const t = words({ en, de });
const load = async () => await import('./account-menu.tsx');
/** What fails is loaded again, and told, where it is wanted. */
const loadAhead = () => void load().catch(() => undefined);
const AccountMenu = lazy(async () => ({ default: (await load()).AccountMenu }));

/** The initials of whoever is signed in. What is behind them is loaded by whoever is about to look. */
export function OwnAccount() {
  const { data: me } = useMe();
  const [isWanted, setWanted] = useState(false);
  const button = (properties: { readonly onClick?: () => void; readonly ref?: Ref<HTMLButtonElement> }) => (
    <ActionIcon
      variant="transparent"
      size={36}
      radius="xl"
      onPointerEnter={loadAhead}
      onFocus={loadAhead}
      aria-haspopup="menu"
      aria-expanded={false}
      {...properties}
    >
      <OwnAvatar name={ownName(me)} />
      <VisuallyHidden>{t.signIn.account}</VisuallyHidden>
    </ActionIcon>
  );
  if (!isWanted) return button({ onClick: () => setWanted(true) });
  return (
    <Later fallback={button({})}>
      <AccountMenu target={button} />
    </Later>
  );
}
