import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';

interface TypedFilterProperties {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** A filter that is typed; it counts once typing has paused. */
export function TypedFilter({ label, value = '', onChange }: TypedFilterProperties) {
  const [typed, setTyped] = useState(value);
  const later = useDebouncedCallback((text: string) => onChange(text.trim()), 300);
  useEffect(() => setTyped((old) => (old.trim() === value ? old : value)), [value]);
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        later(currentTarget.value);
      }}
    />
  );
}
