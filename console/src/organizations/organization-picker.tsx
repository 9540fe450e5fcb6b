import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useOrganizationName } from '../app/organization-name.ts';
import { untilThere } from '../app/queries.ts';
import { searchOrganizations } from '../projects/organization-choice.tsx';
import { FoundSelect, useTyped } from '../shared/found-select.tsx';

interface OrganizationPickerProperties {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
}

/** Picks one of all organizations by its name, among filters; for those who may look at the instance. */
export function OrganizationPicker({ label, value = '', onChange }: OrganizationPickerProperties) {
  const { wanted, ...search } = useTyped();
  const chosen = useOrganizationName(value);
  const { data = [] } = useQuery({
    queryKey: ['organizations', 'choice', wanted],
    queryFn: async () => await searchOrganizations(wanted),
    refetchInterval: untilThere,
    placeholderData: keepPreviousData,
  });
  return (
    <FoundSelect
      aria-label={label}
      placeholder={label}
      clearable
      search={search}
      found={data.map(({ id, name }) => ({ value: id, label: name }))}
      value={value}
      chosen={chosen}
      onChange={(id) => onChange(id === '' ? undefined : id)}
      comboboxProps={{ withinPortal: false }}
      w="100%"
    />
  );
}
