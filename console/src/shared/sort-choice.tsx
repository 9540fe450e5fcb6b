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
  /** Screens that are at least so wide have the heads. */
  readonly until?: 'sm' | 'lg';
  readonly columns: readonly (Pick<Column<never>, 'label' | 'sortWords'> & { readonly sort: string })[];
}

/** On a phone, where some columns are out of sight. */
export function SortChoice({ sorting, columns, until = 'sm' }: SortChoiceProperties) {
  const data = columns.flatMap(({ sort, label, sortWords = t.list }) => [
    { value: sort, label: sort === USUAL ? t.list.oldest : say(sortWords.upward, { name: label }) },
    { value: `-${sort}`, label: sort === USUAL ? t.list.newest : say(sortWords.downward, { name: label }) },
  ]);
  // the usual order may be that of no column
  const hasUsual = columns.some(({ sort }) => sort === sorting.usual);
  return (
    <Select
      hiddenFrom={until}
      aria-label={t.list.sortBy}
      placeholder={t.list.sortBy}
      leftSection={<Icon name="either" size={16} />}
      allowDeselect={!hasUsual}
      clearable={!hasUsual}
      data={data}
      value={
        !hasUsual && sorting.by === sorting.usual ? null : `${sorting.ascending ? '' : '-'}${sorting.by}`
      }
      onChange={(value) => {
        if (value === null) sorting.onChange(sorting.usual, sorting.oldestFirst);
        else sorting.onChange(value.replace(/^-/, ''), !value.startsWith('-'));
      }}
    />
  );
}
