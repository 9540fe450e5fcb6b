import { Button, Checkbox, Paper, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { use, useEffect, useState, type ReactNode } from 'react';
import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { words } from '../app/words.ts';
import { Failure } from './failure.tsx';
import { useFilters } from './filters-in-address.ts';
import { Icon } from './icon.tsx';
import { LoadingRows } from './loading.tsx';
import { More } from './more.tsx';
import { InSection } from './section.tsx';
import { SortChoice } from './sort-choice.tsx';
import { SortButton, sortOf, type Sorting } from './sorting.tsx';
import { useSteps } from './steps.ts';
import { TableFrame } from './table-frame.tsx';

const t = words({ en, de });

/** A part of a page that is no longer is seen at a glance, also on a phone. */
const SHORT = 5;

export interface Column<Row> {
  readonly label: string;
  readonly cell: (row: Row) => ReactNode;
  /** Not on narrow screens; what is the least needed stands on the widest alone. */
  readonly wide?: boolean | 'widest';
  /** The order of the list that its head asks for. */
  readonly sort?: string;
  /** What the choice on a phone calls the order, where it is of no names. */
  readonly sortWords?: { readonly upward: string; readonly downward: string };
  readonly width?: number | string;
}

interface ListProperties<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | undefined;
  readonly keyOf: (row: Row) => string;
  readonly error?: unknown;
  readonly onRetry?: () => void;
  readonly total?: string | number | undefined;
  /** Counting stopped there. */
  readonly isMoreThanTotal?: boolean;
  readonly hasMore?: boolean;
  readonly isLoadingMore?: boolean;
  readonly onMore?: () => void;
  /** It has no pages, and no need to say how much of it is shown. */
  readonly isWhole?: boolean;
  /** What the thing is for and how to make the first; or that nothing fits the filters. */
  readonly empty: ReactNode;
  /** Heads of columns with an order put the list in it. */
  readonly sorting?: Sorting | undefined;
  /** The rows are still in the order before. */
  readonly isSorting?: boolean;
  /** Rows can be ticked. */
  readonly selection?: Selection<Row>;
  /** How many rows a phone shows at first. */
  readonly step?: number;
}

export interface Selection<Row> {
  /** Keys of rows. */
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
  readonly labelOf: (row: Row) => string;
  readonly labelOfAll: string;
}

/** Rows of one kind: what they are, their state, the last change. The page's address holds what they are filtered by. */
export function List<Row>(properties: ListProperties<Row>) {
  const {
    label,
    columns,
    rows,
    keyOf,
    error,
    onRetry,
    total,
    isLoadingMore,
    isWhole,
    empty,
    selection,
    step,
  } = properties;
  const isPlain = use(InSection);
  // a part of a page that has one thing needs no order for it
  const isSorted = !isPlain || (rows?.length ?? 0) > 1 || properties.hasMore === true || isAsked(properties);
  const isLong = (rows?.length ?? 0) > SHORT || properties.hasMore === true;
  const sorting = isSorted ? properties.sorting : undefined;
  const { visible, hasMore, onMore } = useSteps(rows ?? [], properties, step);
  const isRefused = error !== undefined && error !== null;
  // rows that could not be read again stay: somebody may be typing into one of them
  const failure = isRefused && (
    <Failure error={error} {...(onRetry !== undefined && { onRetry })} stays={rows !== undefined} />
  );
  if (rows === undefined) return isRefused ? failure : <LoadingRows />;
  if (rows.length === 0)
    return (
      <>
        {failure}
        {isPlain ? empty : <Paper p="xl">{empty}</Paper>}
      </>
    );
  return (
    <Stack gap="xs" {...(properties.isSorting === true && { 'aria-busy': true })}>
      {failure}
      {sorting !== undefined && (!isPlain || isLong || isAsked(properties)) && (
        <SortChoice sorting={sorting} columns={columns.filter(hasOrder)} />
      )}
      <TableFrame label={label}>
        <Table className="rows" aria-label={label}>
          <Table.Thead>
            <Table.Tr>
              {selection !== undefined && (
                <Table.Th w={48}>
                  <ChooseAll selection={selection} keys={visible.map(keyOf)} />
                </Table.Th>
              )}
              {columns.map((column) => (
                <Table.Th key={column.label} w={column.width} {...seen(column)} {...inOrder(column, sorting)}>
                  {sorting !== undefined && hasOrder(column) ? (
                    <SortButton sorting={sorting} by={column.sort} label={column.label} />
                  ) : (
                    column.label
                  )}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {visible.map((row) => (
              <Table.Tr key={keyOf(row)}>
                {selection !== undefined && (
                  <Table.Td>
                    <Checkbox
                      className="above"
                      aria-label={selection.labelOf(row)}
                      checked={selection.chosen.has(keyOf(row))}
                      onChange={({ currentTarget }) => {
                        const chosen = new Set(selection.chosen);
                        if (currentTarget.checked) chosen.add(keyOf(row));
                        else chosen.delete(keyOf(row));
                        selection.onChange(chosen);
                      }}
                    />
                  </Table.Td>
                )}
                {columns.map((column) => (
                  <Table.Td key={column.label} {...seen(column)}>
                    {column.cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </TableFrame>
      {(isWhole !== true || hasMore) && (
        <More
          shown={visible.length}
          total={isWhole === true ? rows.length : total}
          isMoreThanTotal={properties.isMoreThanTotal === true}
          hasMore={hasMore}
          isLoadingMore={isLoadingMore === true}
          onMore={onMore}
        />
      )}
    </Stack>
  );
}

/** Whether somebody chose the order. */
function isAsked({ sorting }: Pick<ListProperties<never>, 'sorting'>): boolean {
  return sorting !== undefined && (sorting.by !== sorting.usual || sorting.ascending !== sorting.oldestFirst);
}

function seen({ wide }: Pick<Column<never>, 'wide'>) {
  if (wide === undefined || wide === false) return {};
  return { visibleFrom: wide === 'widest' ? 'lg' : 'sm' };
}

function hasOrder<One extends Pick<Column<never>, 'sort'>>(
  column: One,
): column is One & { readonly sort: string } {
  return column.sort !== undefined;
}

function inOrder({ sort }: Pick<Column<never>, 'sort'>, sorting: Sorting | undefined) {
  const order = sort === undefined || sorting === undefined ? undefined : sortOf(sorting, sort);
  return order === undefined ? {} : { 'aria-sort': order };
}

interface ChooseAllProperties {
  readonly selection: Pick<Selection<never>, 'chosen' | 'onChange' | 'labelOfAll'>;
  /** Of the rows that are shown. */
  readonly keys: readonly string[];
}

function ChooseAll({ selection: { chosen, onChange, labelOfAll }, keys }: ChooseAllProperties) {
  const count = keys.filter((key) => chosen.has(key)).length;
  return (
    <Checkbox
      aria-label={labelOfAll}
      checked={count === keys.length}
      indeterminate={count > 0 && count < keys.length}
      onChange={() => {
        // rows that were ticked and are not shown at the moment, as after another order, stay so
        const others = [...chosen].filter((key) => !keys.includes(key));
        onChange(new Set(count === keys.length ? others : [...others, ...keys]));
      }}
    />
  );
}

/** What stands where there is nothing yet. */
export function Empty({
  title,
  text,
  action,
}: {
  readonly title: string;
  readonly text: string;
  readonly action?: ReactNode;
}) {
  return (
    <Stack align="flex-start" gap="xs" maw="60ch">
      <Text fw={600} size="lg">
        {title}
      </Text>
      <Text c="dimmed">{text}</Text>
      {action}
    </Stack>
  );
}

interface EmptyListProperties {
  /** The filters that the address may have. */
  readonly filters: readonly string[];
  readonly title: string;
  readonly text: string;
  readonly action?: ReactNode;
}

/** Nothing fits the filters, which can be taken off; or there is nothing yet, and this is how the first is made. */
export function EmptyList({ filters, title, text, action }: EmptyListProperties) {
  const [search, set] = useFilters();
  const isFiltered = filters.some((name) => (search[name] ?? '') !== '');
  if (!isFiltered) return <Empty title={title} text={text} action={action} />;
  return (
    <Empty
      title={t.list.nothingFits}
      text={t.list.nothingFitsText}
      action={
        <Button
          variant="default"
          onClick={() => set(Object.fromEntries(filters.map((name) => [name, undefined])))}
        >
          {t.list.clear}
        </Button>
      }
    />
  );
}

interface ChoiceFilterProperties {
  /** In the address. */
  readonly name: string;
  readonly label: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
}

/** Filters by one of a few, in the address. */
export function ChoiceFilter({ name, label, choices }: ChoiceFilterProperties) {
  const [{ [name]: value }, set] = useFilters();
  return (
    <Select
      aria-label={label}
      placeholder={label}
      clearable
      value={value ?? null}
      onChange={(chosen) => set({ [name]: chosen ?? undefined })}
      data={choices.map(([choice, text]) => ({ value: choice, label: text }))}
      w={{ base: 'calc(50% - 6px)', sm: 190 }}
    />
  );
}

interface StateFilterProperties {
  readonly states: ChoiceFilterProperties['choices'];
  readonly name?: string;
}

/** Filters by the state that a row is in. */
export function StateFilter({ states, name = 'state' }: StateFilterProperties) {
  return <ChoiceFilter name={name} label={t.list.state} choices={states} />;
}

/** Searches as one types, and keeps what was typed in the address. */
export function SearchField({ label, name = 'search' }: { readonly label: string; readonly name?: string }) {
  const [filters, set] = useFilters();
  const value = filters[name] ?? '';
  const [typed, setTyped] = useState(value);
  const later = useDebouncedCallback((text: string) => set({ [name]: text.trim() }), 250);
  useEffect(() => setTyped((old) => (old.trim() === value ? old : value)), [value]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" size={16} />}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        later(currentTarget.value);
      }}
      w={{ base: '100%', sm: 320, lg: 420 }}
    />
  );
}
