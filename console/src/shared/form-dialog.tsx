import { Button, Group, Modal, Stack } from '@mantine/core';
import type { FormEventHandler, ReactNode } from 'react';
import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { words } from '../app/words.ts';

const t = words({ en, de });

interface FormDialogProperties {
  readonly title: string;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Above the fields: why it was refused, or that somebody else was faster. */
  readonly notice?: ReactNode;
  readonly onSubmit: FormEventHandler<HTMLFormElement>;
  /** On the button that sends it. */
  readonly submit: string;
  readonly isWorking: boolean;
  readonly mayGo?: boolean;
  readonly children: ReactNode;
}

/** A few fields in a dialog, sent by one button or left by the other. */
export function FormDialog({
  title,
  opened,
  onClose,
  notice,
  onSubmit,
  submit,
  isWorking,
  mayGo = true,
  children,
}: FormDialogProperties) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': t.confirm.close }}
    >
      {notice}
      <form aria-label={title} onSubmit={onSubmit}>
        <Stack>
          {children}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t.form.cancel}
            </Button>
            <Button type="submit" loading={isWorking} disabled={!mayGo}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
