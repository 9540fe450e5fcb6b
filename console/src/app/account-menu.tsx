import { Menu, Text, useMantineColorScheme } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement, type Ref } from 'react';
import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import { ownName } from './own-avatar.tsx';
import { useMe } from './permissions.ts';
import { signOut } from './session.ts';
import { words } from './words.ts';

const t = words({ en, de });

interface AccountMenuProperties {
  /** What it hangs from. */
  readonly target: (properties: { readonly ref: Ref<HTMLButtonElement> }) => ReactElement;
}

/** What whoever is signed in can do about themselves; open as soon as it is there. */
export function AccountMenu({ target }: AccountMenuProperties) {
  const { data: me } = useMe();
  const { toggleColorScheme } = useMantineColorScheme();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  // it was asked for by the click that had it loaded, on a button in place of which this one stands
  useEffect(() => {
    button.current?.focus({ preventScroll: true });
    setOpen(true);
  }, []);
  return (
    <Menu position="bottom-end" width={240} opened={isOpen} onChange={setOpen}>
      <Menu.Target>{target({ ref: button })}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)">
            {ownName(me)}
          </Text>
          <Text size="xs">{me?.preferredLoginName}</Text>
        </Menu.Label>
        <Menu.Item component="a" href="/account">
          {t.signIn.account}
        </Menu.Item>
        <Menu.Item onClick={toggleColorScheme}>{t.signIn.otherTheme}</Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()}>{t.signIn.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
