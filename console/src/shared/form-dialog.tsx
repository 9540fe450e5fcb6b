import { Button, Group, Modal, Stack } from '@mantine/core';
import { useState, type Dispatch, type FormEventHandler, type ReactNode, type SetStateAction } from 'react';
import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { words } from '../app/words.ts';
import { useHold } from './held.ts';
import { LeaveGuard } from './leave-guard.tsx';

const t = words({ en, de });

interface FormDialogProperties {
  readonly title: string;
  readonly opened: boolean;
  /**
   * Something was typed: it is kept when the dialog is closed, a click beside the dialog does not close it, and leaving the page
   * asks first.
   */
  readonly isDirty: boolean;
  readonly onClose: () => void;
  /** Closes the dialog, and forgets what was typed. */
  readonly onDiscard: () => void;
  /** Above the fields: why it was refused, or that somebody else was faster. */
  readonly notice?: ReactNode;
  readonly onSubmit: FormEventHandler<HTMLFormElement>;
  /** On the button that sends it. */
  readonly submit: string;
  readonly isWorking: boolean;
  readonly mayGo?: boolean;
  readonly children: ReactNode;
}

/** A few fields in a dialog, sent by one button or given up by the other. Whoever only closes it finds them as they were. */
export function FormDialog({
  title,
  opened,
  isDirty,
  onClose,
  onDiscard,
  notice,
  onSubmit,
  submit,
  isWorking,
  mayGo = true,
  children,
}: FormDialogProperties) {
  // the draft of a dialog ends where it is closed: what was typed is in the memory of the page alone
  useHold(isDirty && !opened);
  return (
    <>
      <Modal
        opened={opened}
        onClose={onClose}
        closeOnClickOutside={!isDirty}
        title={title}
        closeButtonProps={{ 'aria-label': t.confirm.close }}
      >
        {notice}
        <form aria-label={title} onSubmit={onSubmit}>
          <Stack>
            {children}
            <Group justify="flex-end">
              <Button variant="default" onClick={onDiscard}>
                {isDirty ? t.form.discard : t.form.cancel}
              </Button>
              <Button type="submit" loading={isWorking} disabled={!mayGo}>
                {submit}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
      {isDirty && <LeaveGuard what={title} isDirty isSaving={isWorking} overFilters />}
    </>
  );
}

export type DialogDraft<Draft> = ReturnType<typeof useDialogDraft<Draft>>;

/**
 * What is typed into a dialog. It outlives the dialog's being closed, in the memory of the page alone, and goes once it is sent
 * or discarded. @param start what stands there when somebody opens it anew
 */
export function useDialogDraft<Draft>(start: () => Draft) {
  const [opened, setOpened] = useState(false);
  const [initial, setInitial] = useState(start);
  const [draft, setDraft]: [Draft, Dispatch<SetStateAction<Draft>>] = useState(initial);
  const isDirty = JSON.stringify(draft) !== JSON.stringify(initial);
  function begin(): void {
    const now = start();
    setInitial(now);
    setDraft(now);
  }
  return {
    opened,
    draft,
    setDraft,
    isDirty,
    open: () => {
      if (!isDirty) begin();
      setOpened(true);
    },
    /** As it was left for a fresh sign-in. */
    restore: (kept: Draft) => {
      setDraft(kept);
      setOpened(true);
    },
    close: () => setOpened(false),
    /** Sent, or given up. */
    end: () => {
      setOpened(false);
      begin();
    },
  };
}
