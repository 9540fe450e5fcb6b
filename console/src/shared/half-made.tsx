import { Alert, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface HalfMadeProperties {
  /** What is there already, and what is missing. */
  readonly text: string;
  /** Leads to what is there. */
  readonly link: ReactNode;
}

/** For whoever makes something in two calls: the first succeeded, and the next try repeats the second alone. */
export function HalfMade({ text, link }: HalfMadeProperties) {
  return (
    <Alert color="yellow" variant="light" role="status">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{text}</Text>
        {link}
      </Stack>
    </Alert>
  );
}
