import type { AppConfig } from '../../../config/config.js';
import { Primary } from '../connections/primary.js';
import { Sql } from '../sql.js';
import { PgSealer } from './sealer.js';

/** For the command line: wraps all data keys under the current master key. @returns how many had another one */
export async function rewrapDataKeys(url: string, masterKeys: AppConfig['masterKeys']): Promise<number> {
  const pool = Primary.of(url).pool({ max: 1 });
  try {
    return await (await PgSealer.open(new Sql(pool), masterKeys)).rewrap();
  } finally {
    await pool.end();
  }
}
