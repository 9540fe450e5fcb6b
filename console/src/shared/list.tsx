import { Button, Group, Paper, Stack, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { numberOf, say, words } from '../app/words.ts';
import { Failure } from './failure.tsx';
import { Icon } from './icon.tsx';
import { LoadingRows } from './loading.tsx';

const t = words({ en, de });

export interface Column<Row> {
  readonly label: string;
  readonly cell: (row: Row) => ReactNode;
  /** Not on narrow screens. */
  readonly wide?: boolean;
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
    hasMore,
    isLoadingMore,
    onMore,
    isWhole,
    empty,
  } = properties;
  if (error !== undefined && error !== null)
    return <Failure error={error} {...(onRetry !== undefined && { onRetry })} />;
  if (rows === undefined) return <LoadingRows />;
  if (rows.length === 0) return <Paper p="xl">{empty}</Paper>;
  return (
    <Stack gap="xs">
      <Paper style={{ overflowX: 'auto' }}>
        <Table className="rows" aria-label={label}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Table.Th
                  key={column.label}
                  w={column.width}
                  {...(column.wide === true && { visibleFrom: 'sm' })}
                >
                  {column.label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={keyOf(row)}>
                {columns.map((column) => (
                  <Table.Td key={column.label} {...(column.wide === true && { visibleFrom: 'sm' })}>
                    {column.cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
      {isWhole !== true && (
        <Group justify="space-between">
          <Text size="sm" c="dimmed" aria-live="polite">
            {shownOf(rows.length, total, properties.isMoreThanTotal === true)}
          </Text>
          {hasMore === true && (
            <Button variant="default" loading={isLoadingMore === true} onClick={() => onMore?.()}>
              {t.list.more}
            </Button>
          )}
        </Group>
      )}
    </Stack>
  );
}

function shownOf(shown: number, total: string | number | undefined, isMore: boolean): string {
  if (total === undefined) return say(t.list.shown, { shown });
  const words = isMore ? say(t.list.moreThan, { total: numberOf(total) }) : numberOf(total);
  return say(t.list.shownOf, { shown: numberOf(shown), total: words });
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

/** The filters of a list, as its address has them. Setting one replaces the address: the back button leaves the list. */
export function useFilters(): readonly [
  Readonly<Partial<Record<string, string>>>,
  (changes: Readonly<Record<string, string | undefined>>) => void,
] {
  const search: Readonly<Partial<Record<string, string>>> = useSearch({ strict: false });
  const navigate = useNavigate();
  function set(changes: Readonly<Record<string, string | undefined>>): void {
    void navigate({
      to: '.',
      search: (old: Readonly<Partial<Record<string, string>>>) =>
        Object.fromEntries(
          Object.entries({ ...old, ...changes }).filter(([, value]) => value !== undefined && value !== ''),
        ),
      replace: true,
    } as never);
  }
  return [search, set];
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
      w={{ base: '100%', sm: 320 }}
    />
  );
}
