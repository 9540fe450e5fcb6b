import { Stack, Text, Title } from '@mantine/core';
import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import { AppLink } from '../shared/links.tsx';
import { words } from './words.ts';

const t = words({ en, de });

export function Lost() {
  return (
    <Stack maw={520} mx="auto" mt={96}>
      <Title order={1} size="h2">
        {t.lost.title}
      </Title>
      <Text c="dimmed">{t.lost.text}</Text>
      <AppLink to="/">{t.lost.home}</AppLink>
    </Stack>
  );
}

/** A place that somebody else may be in. Whether there is anything in it is not said. */
export function Forbidden() {
  return (
    <Stack maw={520} mx="auto" mt={96}>
      <Title order={1} size="h2">
        {t.forbidden.title}
      </Title>
      <Text c="dimmed">{t.errors.forbidden}</Text>
      <AppLink to="/">{t.lost.home}</AppLink>
    </Stack>
  );
}
