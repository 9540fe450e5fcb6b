import { Button, Group, Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { words } from '../app/words.ts';
import { Failure } from './failure.tsx';
import { LeaveGuard } from './leave-guard.tsx';

const t = words({ en, de });

interface SaveBarProperties {
  readonly isDirty: boolean;
  readonly isSaving: boolean;
  /** What is there by now is on its way: nothing can be decided before. */
  readonly isReading?: boolean;
  readonly error?: unknown;
  readonly onDiscard: () => void;
  /** What the button says, where it is not "Save". */
  readonly label?: string;
  /** What is not saved, where the title around the form does not say it. */
  readonly what?: string | undefined;
  /** Where the form stays, however the address goes on below it: nobody is asked there. */
  readonly within?: string | undefined;
  /** What else has to be decided before it can be saved. */
  readonly children?: ReactNode;
}

/**
 * The one button of a form: it comes when something was changed, and as long as it is there, leaving the page asks first. An
 * error stands above it, and nothing that was typed is lost.
 */
export function SaveBar({
  isDirty,
  isSaving,
  isReading = false,
  error,
  onDiscard,
  label = t.form.save,
  what,
  within,
  children,
}: SaveBarProperties) {
  return (
    <>
      <div className="save-bar">
        {error !== undefined && error !== null && <Failure error={error} />}
        {children}
        {isDirty && (
          <Paper className="save-bar-buttons" p="sm">
            <Group justify="space-between">
              <Text size="sm">{t.form.unsaved}</Text>
              <Group gap="xs">
                <Button variant="default" onClick={onDiscard} disabled={isSaving || isReading}>
                  {t.form.discard}
                </Button>
                <Button type="submit" loading={isSaving} disabled={isReading}>
                  {label}
                </Button>
              </Group>
            </Group>
          </Paper>
        )}
      </div>
      <LeaveGuard what={what} isDirty={isDirty} isSaving={isSaving} within={within} />
    </>
  );
}
