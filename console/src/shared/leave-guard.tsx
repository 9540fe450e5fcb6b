import { Button, Group, List, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useContext, useMemo, useState } from 'react';
import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { isBeingReloaded } from '../app/later.tsx';
import { leavesToSignIn } from '../app/session.ts';
import { words } from '../app/words.ts';
import { pageTitle } from './page-head.tsx';
import { Titled, unsavedBetween, useUnsaved, type Unsaved } from './unsaved.ts';

const t = words({ en, de });

interface LeaveGuardProperties {
  readonly isDirty: boolean;
  readonly isSaving: boolean;
  /** What is not saved; the title of the part of the page around it, or of the page, where that says it. */
  readonly what?: string | undefined;
  /** Where the form stays, however the address goes on below it: nobody is asked there. */
  readonly within?: string | undefined;
  /** Another filter or order in the address of the same page leaves the input where it is: nobody is asked there. */
  readonly overFilters?: boolean;
}

/**
 * Asks whoever leaves the page while something stands in a form that is not saved. Of several on one page, one asks for all, and
 * names them.
 */
export function LeaveGuard({ isDirty, isSaving, what, within, overFilters = false }: LeaveGuardProperties) {
  const around = useContext(Titled);
  const name = what ?? around;
  const isOpen = isDirty && !isSaving;
  const own = useMemo<Unsaved | undefined>(
    () =>
      isOpen
        ? {
            what: name ?? pageTitle(),
            isLeftBy: (from, to) => !(overFilters && from === to) && !isBelow(to, within),
          }
        : undefined,
    [isOpen, name, overFilters, within],
  );
  useUnsaved(own);
  const [lost, setLost] = useState<readonly string[]>([]);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const left = unsavedBetween(current.pathname, next.pathname);
      // the first asks for the others
      if (own === undefined || left[0] !== own) return false;
      setLost([...new Set(left.map((one) => one.what))]);
      return true;
    },
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
        <List>
          {lost.map((one) => (
            <List.Item key={one} style={{ overflowWrap: 'anywhere' }}>
              {one}
            </List.Item>
          ))}
        </List>
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
