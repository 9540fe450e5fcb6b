import { Select } from '@mantine/core';
import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { say, words } from '../app/words.ts';
import { Icon } from './icon.tsx';
import type { Column } from './list.tsx';
import { USUAL, type Sorting } from './sorting.tsx';

const t = words({ en, de });

interface SortChoiceProperties {
  readonly sorting: Sorting;
  readonly columns: readonly (Pick<Column<never>, 'label' | 'sortWords'> & { readonly sort: string })[];
}

/** On a phone, where some columns are out of sight. */
export function SortChoice({ sorting, columns }: SortChoiceProperties) {
  const data = columns.flatMap(({ sort, label, sortWords = t.list }) => [
    { value: sort, label: sort === USUAL ? t.list.oldest : say(sortWords.upward, { name: label }) },
    { value: `-${sort}`, label: sort === USUAL ? t.list.newest : say(sortWords.downward, { name: label }) },
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
