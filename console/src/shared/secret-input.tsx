import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { createContext, useContext, useEffect, useId, useRef } from 'react';
import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { words } from '../app/words.ts';

const t = words({ en, de });

/** Whether the form around has lost a secret that was typed into it (`useLostSecret`). */
export const SecretLost = createContext(false);

/** What the field of a secret says that was lost. */
export function useLostNotice(): string | undefined {
  return useContext(SecretLost) ? t.form.secretLost : undefined;
}

interface SecretInputProperties extends PasswordInputProps {
  /** What the button says that shows what was typed. */
  readonly show: string;
}

/**
 * A field for a secret. Mantine's ties neither its description nor its error to the input, so that whoever hears the page
 * would hear the label alone.
 */
export function SecretInput({ show, description, error: ownError, ...more }: SecretInputProperties) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const lost = useLostNotice();
  useEffect(() => {
    if (lost !== undefined) input.current?.focus();
  }, [lost]);
  const error = ownError ?? lost;
  const hasError = Boolean(error);
  const described = [hasError && `${id}-error`, Boolean(description) && `${id}-description`].filter(Boolean);
  return (
    <PasswordInput
      id={id}
      ref={input}
      description={description}
      error={error}
      aria-invalid={hasError}
      {...(described.length > 0 && { 'aria-describedby': described.join(' ') })}
      autoComplete="new-password"
      visibilityToggleButtonProps={{ 'aria-label': show }}
      {...more}
    />
  );
}
