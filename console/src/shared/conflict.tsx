import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { words } from '../app/words.ts';
import { Confirm } from './confirm.tsx';

const t = words({ en, de });

interface ConflictProperties {
  readonly onTheirs: () => void;
  readonly onOverwrite: () => void;
}

/** Somebody else saved first. Nothing was saved over it, and nothing that was typed is lost, whichever is chosen. */
export function Conflict({ onTheirs, onOverwrite }: ConflictProperties) {
  return (
    <Alert color="yellow" variant="light" role="alert" my="md" title={t.conflict.title}>
      <Stack gap="sm">
        <Text size="sm">{t.conflict.text}</Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={onTheirs}>
            {t.conflict.theirs}
          </Button>
          <Confirm
            danger
            size="xs"
            label={t.conflict.overwrite}
            title={t.conflict.overwrite}
            text={t.conflict.overwriteText}
            onConfirm={onOverwrite}
          />
        </Group>
      </Stack>
    </Alert>
  );
}

interface KeptInputProperties {
  readonly onShow: () => void;
  readonly onDiscard: () => void;
}

/** The form shows what somebody else saved; one's own input waits. */
export function KeptInput({ onShow, onDiscard }: KeptInputProperties) {
  return (
    <Alert color="yellow" variant="light" role="status" mb="md">
      <Group justify="space-between" gap="sm">
        <Text size="sm">{t.conflict.kept}</Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={onShow}>
            {t.conflict.showMine}
          </Button>
          <Button size="xs" variant="default" onClick={onDiscard}>
            {t.conflict.dropMine}
          </Button>
        </Group>
      </Group>
    </Alert>
  );
}
