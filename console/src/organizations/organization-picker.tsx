import { FoundSelect } from '../shared/found-select.tsx';
import { useOrganizationSearch } from './organization-search.ts';

interface OrganizationPickerProperties {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
}

/** Picks one of all organizations by its name, among filters; for those who may look at the instance. */
export function OrganizationPicker({ label, value = '', onChange }: OrganizationPickerProperties) {
  const { search, found, chosen } = useOrganizationSearch(value);
  return (
    <FoundSelect
      aria-label={label}
      placeholder={label}
      clearable
      search={search}
      found={found}
      value={value}
      chosen={chosen}
      onChange={(id) => onChange(id === '' ? undefined : id)}
      comboboxProps={{ withinPortal: false }}
      w="100%"
    />
  );
}
