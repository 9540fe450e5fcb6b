import { Stack, Text, Title } from '@mantine/core';
import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import { AppLink } from '../shared/links.tsx';
import { words } from './words.ts';

const t = words({ en, de });

export function Lost() {
  return <DeadEnd title={t.lost.title} text={t.lost.text} />;
}

export function DeadEnd({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <Stack maw={520} mx="auto" mt={96}>
      <Title order={1} size="h2">
        {title}
      </Title>
      <Text c="dimmed">{text}</Text>
      <AppLink to="/">{t.lost.home}</AppLink>
    </Stack>
  );
}
