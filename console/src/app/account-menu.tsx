import { ActionIcon, Menu, Text, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import { OwnAvatar, ownName } from './own-avatar.tsx';
import { useMe } from './permissions.ts';
import { signOut } from './session.ts';
import { words } from './words.ts';

const t = words({ en, de });

/** Behind the initials of whoever is signed in. */
export function AccountMenu() {
  const { data: me } = useMe();
  const { toggleColorScheme } = useMantineColorScheme();
  const name = ownName(me);
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="transparent" size={36} radius="xl">
          <OwnAvatar name={name} />
          <VisuallyHidden>{t.signIn.account}</VisuallyHidden>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)">
            {name}
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
