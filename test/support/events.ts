// SQL by hand: what is recorded, in the columns that a test is about
import type { TestApi } from './api.js';

interface EventRow {
  readonly org_id: string | null;
  readonly sequence: string;
  readonly type: string;
  readonly actor_id: string | null;
  readonly fields: readonly string[] | null;
  readonly data: object;
}

/** What is recorded of a thing, oldest first. */
export async function eventsOf<Column extends keyof EventRow>(
  { sql }: TestApi,
  aggregateId: string | undefined,
  ...columns: readonly Column[]
): Promise<Pick<EventRow, Column>[]> {
  const { rows } = await sql.query<Pick<EventRow, Column>>(
    `SELECT ${columns.join(', ')} FROM events WHERE aggregate_id = $1 ORDER BY position`,
    [aggregateId],
  );
  return rows;
}

export async function eventTypesOf(api: TestApi, aggregateId: string | undefined): Promise<string[]> {
  return (await eventsOf(api, aggregateId, 'type')).map(({ type }) => type);
}
