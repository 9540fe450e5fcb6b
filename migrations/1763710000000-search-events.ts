import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An index behind every condition by which the audit log is searched, each in the order of its pages.
 *
 * Every event pays for every index, so two make room: nobody read events by transaction, and those of one object are
 * asked for by its id, in the order of time.
 */
export class SearchEvents1763710000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX events_in_order`);
    await runner.query(`DROP INDEX events_of_aggregate`);
    await runner.query(`CREATE INDEX events_of_aggregate ON events (aggregate_id, created_at, position)`);
    await runner.query(`CREATE INDEX events_of_organization ON events (org_id, created_at, position)`);
    await runner.query(`CREATE INDEX events_of_type ON events (type, created_at, position)`);
    await runner.query(
      `CREATE INDEX events_of_type_in_organization ON events (org_id, type, created_at, position)`,
    );
    await runner.query(
      `CREATE INDEX events_of_actor ON events (actor_id, created_at, position) WHERE actor_id IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX events_of_actor`);
    await runner.query(`DROP INDEX events_of_type_in_organization`);
    await runner.query(`DROP INDEX events_of_type`);
    await runner.query(`DROP INDEX events_of_organization`);
    await runner.query(`DROP INDEX events_of_aggregate`);
    await runner.query(`CREATE INDEX events_of_aggregate ON events (aggregate_type, aggregate_id, sequence)`);
    await runner.query(`CREATE INDEX events_in_order ON events (tx, position)`);
  }
}
