import { Table } from '@mantine/core';
import de from '../../../locales/console/de/events.json';
import en from '../../../locales/console/en/events.json';
import { words } from '../app/words.ts';
import { SortChoice } from '../shared/sort-choice.tsx';
import { SortHead, USUAL, type Sorting } from '../shared/sorting.tsx';
import { TableFrame } from '../shared/table-frame.tsx';
import { EventRow } from './event-row.tsx';
import type { LoggedEvent } from './events.ts';

const t = words({ en, de });

interface EventTableProperties {
  readonly title: string;
  readonly rows: readonly LoggedEvent[];
  /** Where actors are looked for who are not of the event's organization. */
  readonly home: string;
  /** Not while they are watched: then the newest come first. */
  readonly sorting?: Sorting;
}

/** Events, each with its details one click away. */
export function EventTable({ title, rows, home, sorting }: EventTableProperties) {
  const choice = [{ sort: USUAL, label: t.columns.time }];
  return (
    <>
      {sorting !== undefined && <SortChoice sorting={sorting} columns={choice} until="lg" />}
      <TableFrame label={title}>
        <Table className="log" aria-label={title} verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              {sorting === undefined ? (
                <Table.Th w={190} visibleFrom="lg">
                  {t.columns.time}
                </Table.Th>
              ) : (
                <SortHead sorting={sorting} by={USUAL} label={t.columns.time} w={190} visibleFrom="lg" />
              )}
              <Table.Th>{t.columns.event}</Table.Th>
              <Table.Th w="20%" visibleFrom="md">
                {t.columns.actor}
              </Table.Th>
              <Table.Th w="22%" visibleFrom="md">
                {t.columns.target}
              </Table.Th>
              <Table.Th w={100} ta="end">
                {t.details}
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((event) => (
              <EventRow key={event.id} event={event} home={home} />
            ))}
          </Table.Tbody>
        </Table>
      </TableFrame>
    </>
  );
}
