import { Alert, Box, Button, Group, Text } from '@mantine/core';
import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import { useHeld } from '../shared/held.ts';
import { reload, useLack } from './later.tsx';
import { words } from './words.ts';

const t = words({ en, de }).lack;

/** Above a page of which a part did not come: why, and the way on, wherever on the page somebody is. */
export function LackNotice() {
  const lack = useLack();
  const held = useHeld();
  if (lack === undefined) return null;
  return (
    <Box maw={1200} mx="auto" className="lack-notice">
      <Alert color="yellow" variant="light" role="alert" title={t[lack].title}>
        <Group justify="space-between" gap="xs">
          <Text size="sm">
            {t[lack].text} {held === undefined ? t.kept : t.held[held]}
          </Text>
          {/* a file goes first: whoever chose one reloads when it has arrived, or is given up */}
          {held !== 'file' && (
            <Button size="xs" onClick={reload}>
              {t.reload}
            </Button>
          )}
        </Group>
      </Alert>
    </Box>
  );
}
