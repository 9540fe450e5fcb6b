import { Stack, Text, Title } from '@mantine/core';
import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import { AppLink } from '../shared/links.tsx';
import { words } from './words.ts';

const t = words({ en, de });

export function Lost() {
  return <DeadEnd title={t.lost.title} text={t.lost.text} />;
}

/** In place of a page that did not come; why stands above it. */
export function NotLoaded() {
  return (
    <Title order={1} size="h2">
      {t.errors.notRead}
    </Title>
  );
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
