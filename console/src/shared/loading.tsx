import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { useState } from 'react';
import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import { reload } from '../app/later.tsx';
import { words } from '../app/words.ts';

const t = words({ en, de });
/** Nothing takes so long that works. */
const SLOW_MS = 12_000;

/** The shape of a page before its content is there: nothing turns, and little moves when it comes. What takes too long says so. */
export function LoadingPage() {
  const [isSlow, setSlow] = useState(false);
  useTimeout(() => setSlow(true), SLOW_MS, { autoInvoke: true });
  return (
    <div className="console-page">
      {isSlow && (
        <Alert color="yellow" variant="light" role="status" mb="md">
          <Group justify="space-between" gap="xs">
            <Text size="sm">{t.errors.slow}</Text>
            <Button size="xs" variant="default" onClick={reload}>
              {t.lack.reload}
            </Button>
          </Group>
        </Alert>
      )}
      <Stack aria-busy="true" aria-live="polite" pt="xl">
        <Skeleton height={32} width={240} />
        <Skeleton height={16} width={420} maw="100%" />
        <LoadingRows />
      </Stack>
    </div>
  );
}

export function LoadingRows({ rows = 6 }: { readonly rows?: number }) {
  return (
    <Stack gap="xs" aria-busy="true">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={44} radius="sm" />
      ))}
    </Stack>
  );
}
