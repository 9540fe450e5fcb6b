import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import de from '../../../locales/console/de/users.json';
import en from '../../../locales/console/en/users.json';
import { words } from '../app/words.ts';
import { useUserName } from './user-names.ts';
import { findUsers, nameOf } from './users.ts';

const t = words({ en, de });
const MOST = 20;

interface UserPickerProperties {
  readonly org: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
}

/** Picks one user of an organization by what is known of them. */
export function UserPicker({ org, label, value, onChange }: UserPickerProperties) {
  const [typed, setTyped] = useState('');
  const [wanted] = useDebouncedValue(typed.trim(), 200);
  const chosen = useUserName(org, value);
  const { data } = useQuery({
    queryKey: ['users', org, 'picker', wanted],
    queryFn: async () => (await findUsers(org, { search: wanted, limit: MOST })).result ?? [],
    enabled: wanted !== '' && wanted !== chosen,
    placeholderData: (old) => old,
  });
  const options = (data ?? []).map((user) => ({
    value: user.id,
    label: nameOf(user),
    detail: user.preferredLoginName,
  }));
  const known =
    value === undefined || options.some((option) => option.value === value)
      ? options
      : [{ value, label: chosen ?? value, detail: '' }, ...options];
  return (
    <Select
      aria-label={label}
      placeholder={label}
      searchable
      clearable
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      searchValue={typed}
      onSearchChange={setTyped}
      data={known.map(({ value: id, label: name, detail }) => ({
        value: id,
        label: detail === '' || detail === name ? name : `${name} (${detail})`,
      }))}
      // what fits was found by the service
      filter={({ options: all }) => all}
      comboboxProps={{ withinPortal: false }}
      nothingFoundMessage={wanted === '' ? t.pick.type : t.pick.nobody}
      w={{ base: '100%', sm: 280 }}
    />
  );
}
