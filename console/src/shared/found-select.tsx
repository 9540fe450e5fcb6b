import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';

/** What is typed, and what is looked for: the same, a moment later. */
export function useTyped() {
  const [typed, setTyped] = useState('');
  const [wanted] = useDebouncedValue(typed.trim(), 200);
  return { typed, setTyped, wanted };
}

interface FoundSelectProperties extends Omit<SelectProps, 'data' | 'filter' | 'value' | 'onChange'> {
  readonly search: Pick<ReturnType<typeof useTyped>, 'typed' | 'setTyped'>;
  /** By what was typed, as the service found them. */
  readonly found: readonly { readonly value: string; readonly label: string }[];
  /** An id, or nothing. */
  readonly value: string;
  /** What the value is called; it need not be among those that are found now. */
  readonly chosen: string | null | undefined;
  readonly onChange: (id: string) => void;
}

/** Chooses one of more than a list could hold: the service finds them by what is typed. */
export function FoundSelect({ search, found, value, chosen, onChange, ...select }: FoundSelectProperties) {
  const isFound = value === '' || found.some((option) => option.value === value);
  return (
    <Select
      searchable
      value={value === '' ? null : value}
      onChange={(id) => onChange(id ?? '')}
      searchValue={search.typed}
      onSearchChange={search.setTyped}
      filter={({ options }) => options}
      data={isFound ? [...found] : [{ value, label: chosen ?? value }, ...found]}
      {...select}
    />
  );
}
