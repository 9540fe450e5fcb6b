import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface SectionProperties {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly action?: ReactNode;
  /** Things that cannot be taken back stand apart. */
  readonly danger?: boolean;
  readonly children?: ReactNode;
}

/** A part of a page with its own heading and one action. */
export function Section({ title, lead, action, danger, children }: SectionProperties) {
  return (
    <Paper
      component="section"
      p={{ base: 'md', sm: 'lg' }}
      mb="md"
      aria-label={title}
      {...(danger === true && { style: { borderColor: 'var(--danger)' } })}
    >
      <Group justify="space-between" align="flex-start" mb={children === undefined ? 0 : 'md'} gap="md">
        <Stack gap={2} maw="65ch" flex="1 1 240px">
          <Title order={2} size="h4">
            {title}
          </Title>
          {lead !== undefined && (
            <Text component="div" c="dimmed" size="sm">
              {lead}
            </Text>
          )}
        </Stack>
        {action}
      </Group>
      {children}
    </Paper>
  );
}

/** Names and values, one under the other. Values that are missing are left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== '' && value !== null)
        .map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
