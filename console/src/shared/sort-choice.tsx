import { Select } from '@mantine/core';
import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { say, words } from '../app/words.ts';
import { Icon } from './icon.tsx';
import { USUAL, type Sorting } from './sorting.tsx';

const t = words({ en, de });

interface SortChoiceProperties {
  readonly sorting: Sorting;
  readonly columns: readonly { readonly sort: string; readonly label: string }[];
}

/** On a phone, where some columns are out of sight. */
export function SortChoice({ sorting, columns }: SortChoiceProperties) {
  const data = columns.flatMap(({ sort, label }) => [
    { value: sort, label: sort === USUAL ? t.list.oldest : say(t.list.upward, { name: label }) },
    { value: `-${sort}`, label: sort === USUAL ? t.list.newest : say(t.list.downward, { name: label }) },
  ]);
  return (
    <Select
      hiddenFrom="sm"
      aria-label={t.list.sortBy}
      leftSection={<Icon name="either" size={16} />}
      allowDeselect={false}
      data={data}
      value={`${sorting.ascending ? '' : '-'}${sorting.by}`}
      onChange={(value) => {
        if (value !== null) sorting.onChange(value.replace(/^-/, ''), !value.startsWith('-'));
      }}
    />
  );
}
