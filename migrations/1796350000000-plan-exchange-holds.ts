import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `exchange_holds` looks up by key the few things that an exchange hangs from. The planner takes a list in JSON for a hundred
 * entries, and on a small database reads the whole table of grants for them, at every exchange.
 */
export class PlanExchangeHolds1796350000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER FUNCTION exchange_holds(jsonb)
        SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER FUNCTION exchange_holds(jsonb) RESET ALL`);
  }
}
