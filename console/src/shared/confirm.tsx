import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { say, words } from '../app/words.ts';

const t = words({ en, de });

interface ConfirmProperties {
  /** On the button that opens it, and on the one that does it. */
  readonly label: string;
  readonly title: string;
  /** What will happen, said before it happens. */
  readonly text: ReactNode;
  /** What has to be typed before something that cannot be taken back. */
  readonly word?: string;
  readonly danger?: boolean;
  readonly variant?: 'default' | 'filled' | 'subtle';
  readonly size?: 'xs' | 'sm';
  /** Of several alike, one a row: whoever only hears it hears the title, which says of what. */
  readonly inRow?: boolean;
  readonly isWorking?: boolean;
  /** What it needs is not there yet. */
  readonly disabled?: boolean;
  readonly onConfirm: () => void;
}

/** A button whose consequences are said before they happen. */
export function Confirm(properties: ConfirmProperties) {
  const {
    label,
    title,
    text,
    word,
    danger = false,
    variant = 'default',
    size = 'sm',
    inRow = false,
    isWorking,
    disabled = false,
    onConfirm,
  } = properties;
  const [opened, { open, close }] = useDisclosure(false);
  const [typed, setTyped] = useState('');
  const focus = useFocusBack(isWorking === true);
  const mayGo = word === undefined || typed === word;
  return (
    <>
      <Button
        ref={focus.button}
        variant={variant}
        size={size}
        {...(danger && (variant === 'subtle' ? { color: 'red' } : { c: 'var(--danger)' }))}
        loading={isWorking === true}
        disabled={disabled}
        {...(inRow && { 'aria-label': title })}
        onClick={() => {
          setTyped('');
          open();
        }}
      >
        {label}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        onExitTransitionEnd={focus.giveBack}
        title={title}
        closeButtonProps={{ 'aria-label': t.confirm.close }}
      >
        <form
          ref={focus.form}
          onSubmit={(event) => {
            event.preventDefault();
            // React has it rise to the form around the button as well
            event.stopPropagation();
            if (!mayGo) return;
            focus.owe();
            close();
            onConfirm();
          }}
        >
          <Stack>
            <Text component="div">{text}</Text>
            {word !== undefined && (
              <TextInput
                label={say(t.confirm.type, { word })}
                value={typed}
                onChange={({ currentTarget }) => setTyped(currentTarget.value)}
                autoComplete="off"
                data-autofocus
              />
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {t.confirm.cancel}
              </Button>
              <Button type="submit" disabled={!mayGo} {...(danger && { color: 'red' })}>
                {label}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}

/**
 * Whoever goes on by the keyboard goes on where they were. The dialog gives the focus back as it closes, to a button that works
 * by then, and takes none: it gets it once it is there again. Where it goes with what was done, the heading above it does.
 */
function useFocusBack(isWorking: boolean) {
  const button = useRef<HTMLButtonElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const isOwed = useRef(false);
  const around = useRef<Element>(null);
  /** Whoever has moved on meanwhile stays there. */
  function isLost(): boolean {
    const { activeElement, body } = document;
    return activeElement === null || activeElement === body || form.current?.contains(activeElement) === true;
  }
  function giveBack(): void {
    if (isOwed.current && isLost()) button.current?.focus({ preventScroll: true });
  }
  useEffect(() => {
    if (isWorking) return;
    giveBack();
    isOwed.current = false;
    // once the work is over
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isWorking]);
  useLayoutEffect(
    () => () => {
      // the page that a deletion leads away from may go after the work is over
      if (document.activeElement === button.current) isOwed.current = true;
    },
    [],
  );
  useEffect(
    () => () => {
      if (!isOwed.current || !isLost()) return;
      const section = around.current?.isConnected === true ? around.current : null;
      const heading = section?.querySelector<HTMLElement>('h2, h3') ?? document.getElementById('content');
      if (heading !== null) heading.tabIndex = -1;
      heading?.focus({ preventScroll: true });
    },
    [],
  );
  function owe(): void {
    isOwed.current = true;
    around.current = button.current?.closest('section') ?? null;
  }
  return { button, form, owe, giveBack };
}
