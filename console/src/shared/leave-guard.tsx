import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { isBeingReloaded } from '../app/later.tsx';
import { leavesToSignIn } from '../app/session.ts';
import { words } from '../app/words.ts';

const t = words({ en, de });

interface LeaveGuardProperties {
  readonly isDirty: boolean;
  readonly isSaving: boolean;
  /** Where the form stays, however the address goes on below it: nobody is asked there. */
  readonly within?: string | undefined;
  /** Another filter or order in the address of the same page leaves the input where it is: nobody is asked there. */
  readonly overFilters?: boolean;
}

/** Asks whoever leaves the page while something stands in a form that is not saved. */
export function LeaveGuard({ isDirty, isSaving, within, overFilters = false }: LeaveGuardProperties) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isDirty &&
      !isSaving &&
      !(overFilters && next.pathname === current.pathname) &&
      !isBelow(next.pathname, within),
    enableBeforeUnload: () => isDirty && !leavesToSignIn() && !isBeingReloaded(),
    withResolver: true,
  });
  return (
    <Modal
      opened={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title={t.form.leave}
      closeButtonProps={{ 'aria-label': t.confirm.close }}
    >
      <Stack>
        <Text>{t.form.leaveText}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => blocker.reset?.()}>
            {t.form.leaveNo}
          </Button>
          <Button color="red" onClick={() => blocker.proceed?.()}>
            {t.form.leaveYes}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function isBelow(pathname: string, within: string | undefined): boolean {
  const at = pathname.replace(/^\/console/, '');
  return within !== undefined && (at === within || at.startsWith(`${within}/`));
}
