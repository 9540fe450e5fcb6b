import pg from 'pg';
import { vi } from 'vitest';
import type { TestApi } from './api.js';

export interface SentStatement {
  /** Empty where it is not prepared. */
  readonly name: string;
  readonly text: string;
}

/**
 * What an API sends whatever is asked of it: timers measure how long requests wait and write what was counted, and each new
 * connection asks which server it has come to. Told apart by name, because a statement that answers several askers at once
 * belongs to none of them: what sent it may be the timer that came first.
 */
const BY_ITSELF = /^(clock-now|key-set-readers-|replica-|request-delay-|statistics-add$)/;
const OF_CONNECTIONS = /^(LISTEN |SELECT pg_is_in_recovery\(\))/;

/**
 * The statements that an API sends to its database for what is done meanwhile, in their order. What the test itself looks up,
 * as the owner of the tables, is left out, and so is what the API does by itself.
 */
export async function statementsOf(
  api: TestApi,
  work: () => Promise<unknown>,
): Promise<readonly SentStatement[]> {
  return (await allStatementsOf(api, work)).filter((statement) => !isOwnErrand(statement));
}

/** Whether an API sends it without being asked for anything. */
export function isOwnErrand({ name, text }: SentStatement): boolean {
  return BY_ITSELF.test(name) || OF_CONNECTIONS.test(text);
}

/** The same with what the API does by itself. */
export async function allStatementsOf(
  { database }: TestApi,
  work: () => Promise<unknown>,
): Promise<readonly SentStatement[]> {
  const { username, pathname } = new URL(database.serviceUrl);
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    return sent.mock.calls.flatMap(([first]: readonly unknown[], index) => {
      const client = sent.mock.contexts[index] as pg.Client;
      if (client.user !== username || client.database !== pathname.slice(1)) return [];
      if (typeof first === 'string') return [{ name: '', text: first }];
      const { name = '', text = '' } = first as { readonly name?: string; readonly text?: string };
      return [{ name, text }];
    });
  } finally {
    sent.mockRestore();
  }
}
