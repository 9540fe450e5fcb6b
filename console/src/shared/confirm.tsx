import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
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
  const mayGo = word === undefined || typed === word;
  return (
    <>
      <Button
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
        title={title}
        closeButtonProps={{ 'aria-label': t.confirm.close }}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            // React has it rise to the form around the button as well
            event.stopPropagation();
            if (!mayGo) return;
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
