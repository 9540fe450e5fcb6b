import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { createContext, type ReactNode } from 'react';
import { Titled } from './unsaved.ts';

interface SectionProperties {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly action?: ReactNode;
  /** Things that cannot be taken back stand apart. */
  readonly danger?: boolean;
  readonly children?: ReactNode;
}

/** A card stands in no other: what would be one is plain there. */
export const InSection = createContext(false);

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
      <Titled value={title}>
        <InSection value={true}>{children}</InSection>
      </Titled>
    </Paper>
  );
}

/** Names and values, one under the other. Values that are missing are left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== '' && value !== null)
        .map(([name, value], place) => (
          // two may have one name: an organization that something was done to, and the one that it belongs to
          // oxlint-disable-next-line react/no-array-index-key -- what is left out is left out for good
          <div key={place} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
