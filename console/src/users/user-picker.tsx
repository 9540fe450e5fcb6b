import { useQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/users.json';
import en from '../../../locales/console/en/users.json';
import { untilThere } from '../app/queries.ts';
import { words } from '../app/words.ts';
import { FoundSelect, useTyped } from '../shared/found-select.tsx';
import { useUserName } from './user-names.ts';
import { findUsers, nameOf } from './users.ts';

const t = words({ en, de });
const MOST = 20;

interface UserPickerProperties {
  readonly org: string;
  readonly label: string;
  /** In a form the label stands above the field; among filters the field says what it is itself. */
  readonly isInForm?: boolean;
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
  /** As wide as a name and an address need, if nothing is said. */
  readonly w?: string;
}

/** Picks one user of an organization by what is known of them. */
export function UserPicker({ org, label, isInForm = false, value, onChange, w }: UserPickerProperties) {
  const { wanted, ...search } = useTyped();
  const chosen = useUserName(org, value);
  const { data } = useQuery({
    queryKey: ['users', org, 'picker', wanted],
    queryFn: async () => (await findUsers(org, { search: wanted, limit: MOST })).result ?? [],
    enabled: wanted !== '' && wanted !== chosen,
    refetchInterval: untilThere,
    placeholderData: (old) => old,
  });
  const found = (data ?? []).map((user) => {
    const { id, preferredLoginName: detail } = user;
    const name = nameOf(user);
    return { value: id, label: detail === '' || detail === name ? name : `${name} (${detail})` };
  });
  return (
    <FoundSelect
      {...(isInForm ? { label, placeholder: t.pick.type } : { 'aria-label': label, placeholder: label })}
      clearable
      search={search}
      found={found}
      value={value ?? ''}
      chosen={chosen}
      onChange={(id) => onChange(id === '' ? undefined : id)}
      comboboxProps={{ withinPortal: false }}
      nothingFoundMessage={wanted === '' ? t.pick.type : t.pick.nobody}
      w={w ?? { base: '100%', sm: 280 }}
    />
  );
}
