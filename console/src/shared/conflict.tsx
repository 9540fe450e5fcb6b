import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { Refused } from '../api/client.ts';
import { words } from '../app/words.ts';
import { useAct } from './act.ts';
import { Confirm } from './confirm.tsx';
import { Failure } from './failure.tsx';

const t = words({ en, de });

interface ConflictProperties {
  /** The other change is on its way. */
  readonly isReading: boolean;
  readonly onTheirs: () => void;
  readonly onOverwrite: () => void;
}

/** Somebody else saved first. Nothing was saved over it, and nothing that was typed is lost, whichever is chosen. */
export function Conflict({ isReading, onTheirs, onOverwrite }: ConflictProperties) {
  return (
    <Alert color="yellow" variant="light" role="alert" my="md" title={t.conflict.title}>
      <Stack gap="sm">
        <Text size="sm">{t.conflict.text}</Text>
        <Group gap="xs">
          <Button size="xs" variant="default" loading={isReading} onClick={onTheirs}>
            {t.conflict.theirs}
          </Button>
          <Confirm
            danger
            size="xs"
            label={t.conflict.overwrite}
            title={t.conflict.overwrite}
            text={t.conflict.overwriteText}
            isWorking={isReading}
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

/** Whether somebody else saved first (RFC 9110 §15.5.13). */
export function isConflict(error: unknown): boolean {
  return error instanceof Refused && error.status === 412;
}

interface ConflictDraft {
  /** What the draft was made on top of. */
  readonly sequence?: string | undefined;
}

interface ConflictChoice<Draft extends ConflictDraft> {
  /** What saves the draft; it shows no error of its own. */
  readonly save: { readonly error: unknown; readonly reset: () => void };
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  /** What the draft would be if the form were opened now. */
  readonly theirs: () => Promise<Draft>;
  readonly onOverwrite: () => void;
}

/**
 * For a form in a dialog or a row, which holds what was typed itself: whoever saves over somebody else's change is told, and
 * chooses. Any other error is shown in the same place.
 */
export function useConflict<Draft extends ConflictDraft>({
  save,
  draft,
  onDraft,
  theirs,
  onOverwrite,
}: ConflictChoice<Draft>): { readonly notice: ReactNode; readonly begin: () => void } {
  // set aside while another one's change is shown
  const [mine, setMine] = useState<Draft>();
  const show = useAct({
    call: theirs,
    stale: [],
    onDone: (found) => {
      save.reset();
      setMine(draft);
      onDraft(found);
    },
  });
  function begin(): void {
    save.reset();
    setMine(undefined);
  }
  const notice = (
    <>
      {isConflict(save.error) && (
        <Conflict isReading={show.isPending} onTheirs={() => show.mutate()} onOverwrite={onOverwrite} />
      )}
      {mine !== undefined && (
        <KeptInput
          onShow={() => {
            onDraft({ ...mine, sequence: draft.sequence });
            setMine(undefined);
          }}
          onDiscard={() => setMine(undefined)}
        />
      )}
      {save.error !== null && !isConflict(save.error) && <Failure error={save.error} />}
    </>
  );
  return { notice, begin };
}
