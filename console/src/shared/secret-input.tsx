import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useId } from 'react';

interface SecretInputProperties extends PasswordInputProps {
  /** What the button says that shows what was typed. */
  readonly show: string;
}

/**
 * A field for a secret. Mantine's ties neither its description nor its error to the input, so that whoever hears the page
 * would hear the label alone.
 */
export function SecretInput({ show, description, error, ...more }: SecretInputProperties) {
  const id = useId();
  const hasError = Boolean(error);
  const described = [hasError && `${id}-error`, Boolean(description) && `${id}-description`].filter(Boolean);
  return (
    <PasswordInput
      id={id}
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
