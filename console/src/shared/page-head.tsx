import { Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';

interface PageHeadProperties {
  readonly title: string;
  /** One sentence: what the page is for, or what the thing is. */
  readonly lead?: ReactNode;
  /** Above the title: the way back to the list. */
  readonly back?: ReactNode;
  readonly actions?: ReactNode;
}

let titleNow = '';

/** What the open page is called. */
export function pageTitle(): string {
  return titleNow;
}

/** Title, what it is, and what can be done: the same at the top of every page. */
export function PageHead({ title, lead, back, actions }: PageHeadProperties) {
  useEffect(() => {
    document.title = `${title} · Console`;
    titleNow = title;
  }, [title]);
  return (
    <Stack gap={4} mb="lg">
      {back}
      <Group justify="space-between" align="flex-start" gap="md" style={{ rowGap: 12 }}>
        <Stack gap={4} className="page-title">
          <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {lead !== undefined && (
            <Text component="div" c="dimmed" maw="65ch">
              {lead}
            </Text>
          )}
        </Stack>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
    </Stack>
  );
}
