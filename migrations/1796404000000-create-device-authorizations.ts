import type { MigrationInterface, QueryRunner } from 'typeorm';

const BEFORE =
  'authorization_code,implicit,refresh_token,client_credentials,urn:ietf:params:oauth:grant-type:jwt-bearer,urn:ietf:params:oauth:grant-type:token-exchange';
const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

/**
 * Devices that ask for tokens and wait for their user (RFC 8628). The release before knows no such grant type: it neither
 * offers it nor answers a sign-in that is for a device.
 */
export class CreateDeviceAuthorizations1796404000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE device_authorizations (
        id text CONSTRAINT device_authorizations_pkey PRIMARY KEY,
        application_id text NOT NULL CONSTRAINT device_authorizations_application REFERENCES applications (id) ON DELETE CASCADE,
        device_code_hash bytea NOT NULL,
        user_code text NOT NULL,
        scopes text[] NOT NULL,
        asked_from text NOT NULL,
        state text NOT NULL DEFAULT 'pending'
          CONSTRAINT device_authorizations_state CHECK (state IN ('pending', 'approved', 'denied')),
        user_id text,
        code_hash bytea,
        poll_seconds integer NOT NULL,
        polled_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        expires_at timestamptz NOT NULL,
        CONSTRAINT device_authorizations_approved CHECK ((state = 'approved') = (code_hash IS NOT NULL))
      )`);
    await runner.query(
      `CREATE UNIQUE INDEX device_authorizations_user_code ON device_authorizations (user_code) WHERE state = 'pending'`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX device_authorizations_device_code ON device_authorizations (device_code_hash)`,
    );
    await runner.query(
      `CREATE INDEX device_authorizations_by_application ON device_authorizations (application_id)`,
    );
    await runner.query(`CREATE INDEX device_authorizations_expiry ON device_authorizations (expires_at)`);
    // while a person signs in for their device; what the device asked for is in its own row
    await runner.query(`ALTER TABLE auth_requests ADD COLUMN device_authorization_id text`);
    await allow(runner, `${BEFORE},${DEVICE_CODE}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM auth_requests WHERE device_authorization_id IS NOT NULL`);
    await runner.query(`ALTER TABLE auth_requests DROP COLUMN device_authorization_id`);
    await runner.query(`DROP TABLE device_authorizations`);
    await runner.query(
      `UPDATE applications SET grant_types = array_remove(grant_types, '${DEVICE_CODE}') WHERE '${DEVICE_CODE}' = ANY (grant_types)`,
    );
    await allow(runner, BEFORE);
  }
}

async function allow(runner: QueryRunner, grantTypes: string): Promise<void> {
  await runner.query(`ALTER TABLE applications DROP CONSTRAINT applications_grant_types`);
  await runner.query(
    `ALTER TABLE applications ADD CONSTRAINT applications_grant_types CHECK (grant_types <@ '{${grantTypes}}'::text[])`,
  );
}
