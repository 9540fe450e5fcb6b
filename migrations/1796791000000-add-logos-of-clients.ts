import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The picture that a client names is fetched once, and kept with what the client said: one for each, and gone with it. */
export class AddLogosOfClients1796791000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE client_registrations
        ADD COLUMN logo bytea,
        ADD COLUMN logo_name text,
        ADD COLUMN logo_source text,
        ADD COLUMN logo_tried_at timestamptz,
        ADD CONSTRAINT client_registrations_logo CHECK (octet_length(logo) BETWEEN 1 AND 102400),
        ADD CONSTRAINT client_registrations_logo_name CHECK (logo_name ~ '^[0-9a-f]{64}[.](png|jpg|webp)$'),
        ADD CONSTRAINT client_registrations_logo_named
          CHECK ((logo IS NULL) = (logo_name IS NULL) AND (logo IS NULL OR logo_source IS NOT NULL))`);
    await runner.query(`CREATE INDEX client_registrations_by_logo ON client_registrations (logo_name)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE client_registrations
        DROP COLUMN logo, DROP COLUMN logo_name, DROP COLUMN logo_source, DROP COLUMN logo_tried_at`);
  }
}
