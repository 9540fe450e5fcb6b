import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What users authenticate with: passwords and the attempts at them, TOTP secrets, tokens and keys of service users, and the
 * codes that people are sent.
 *
 * A hash that opens for more than one password is not replaced by what was typed: `rehash_withheld_at` tells operators
 * since when, until the password changes. `made_by` is whoever made a credential for a service user: a user's id, empty for
 * whoever runs the service, null where nobody knows, which counts as the lowest rank. A code without a hash is one that an
 * SMS provider makes and checks; one that the command line handed out was sent nowhere and proves no address.
 */
export class CreateCredentials1764000400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE user_passwords (
        user_id text CONSTRAINT user_passwords_pkey PRIMARY KEY,
        org_id text NOT NULL,
        hash text NOT NULL,
        scheme text NOT NULL,
        weak boolean NOT NULL DEFAULT false,
        change_required boolean NOT NULL DEFAULT false,
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        rehash_withheld_at timestamptz,
        CONSTRAINT user_passwords_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE
      )
    `);
    // every sign-in changes its row twice: room on the page keeps those changes out of the index
    await runner.query(`
      CREATE TABLE password_attempts (
        user_id text CONSTRAINT password_attempts_pkey PRIMARY KEY,
        org_id text NOT NULL,
        attempts integer NOT NULL,
        forgiven integer NOT NULL DEFAULT 0,
        wrong integer NOT NULL DEFAULT 0,
        last_at timestamptz NOT NULL,
        CONSTRAINT password_attempts_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT password_attempts_count CHECK (forgiven BETWEEN 0 AND attempts AND wrong BETWEEN 0 AND attempts - forgiven)
      ) WITH (fillfactor = 70)
    `);
    await runner.query(`
      CREATE TABLE user_totp_secrets (
        user_id text NOT NULL,
        org_id text NOT NULL,
        secret_sealed bytea NOT NULL,
        data_key_id integer NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT user_totp_secrets_pkey PRIMARY KEY (user_id),
        CONSTRAINT user_totp_secrets_user FOREIGN KEY (org_id, user_id)
          REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT user_totp_secrets_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys (id)
      )
    `);
    await runner.query(`
      CREATE TABLE personal_access_tokens (
        id text NOT NULL DEFAULT new_id() CONSTRAINT personal_access_tokens_pkey PRIMARY KEY,
        org_id text NOT NULL,
        user_id text NOT NULL,
        token_hash bytea NOT NULL,
        expires_at timestamptz,
        revoked_at timestamptz,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        made_by text,
        CONSTRAINT personal_access_tokens_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT personal_access_tokens_hash UNIQUE (token_hash)
      )
    `);
    await runner.query(
      `CREATE INDEX personal_access_tokens_by_user ON personal_access_tokens (org_id, user_id)`,
    );
    await runner.query(`
      CREATE TABLE service_user_keys (
        id text NOT NULL DEFAULT new_id() CONSTRAINT service_user_keys_pkey PRIMARY KEY,
        org_id text NOT NULL,
        user_id text NOT NULL,
        public_jwk jsonb NOT NULL,
        expires_at timestamptz NOT NULL,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        made_by text,
        CONSTRAINT service_user_keys_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT service_user_keys_public CHECK (NOT jsonb_exists_any(public_jwk, '{d,p,q,dp,dq,qi,oth,k}'::text[]))
      )
    `);
    await runner.query(`
      CREATE TRIGGER service_user_keys_claim_id AFTER INSERT ON service_user_keys
      FOR EACH ROW EXECUTE FUNCTION claim_own_id('machine_key')
    `);
    await runner.query(`CREATE INDEX service_user_keys_by_user ON service_user_keys (org_id, user_id)`);
    await runner.query(`
      CREATE TABLE verification_codes (
        id text CONSTRAINT verification_codes_pkey PRIMARY KEY,
        org_id text NOT NULL,
        user_id text NOT NULL,
        purpose text NOT NULL,
        target text NOT NULL,
        code_hash bytea,
        attempts integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        expires_at timestamptz NOT NULL,
        ended_at timestamptz,
        flow_id text,
        provider_id text,
        proves_address boolean NOT NULL DEFAULT true,
        CONSTRAINT verification_codes_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT verification_codes_purpose CHECK (purpose IN ('initialise', 'verify_email', 'verify_phone', 'reset_password')),
        CONSTRAINT verification_codes_attempts CHECK (attempts BETWEEN 0 AND 5),
        CONSTRAINT verification_codes_maker CHECK ((code_hash IS NULL) = (provider_id IS NOT NULL))
      )
    `);
    await runner.query(
      `CREATE UNIQUE INDEX verification_codes_one_live ON verification_codes (user_id, purpose) WHERE ended_at IS NULL`,
    );
    await runner.query(
      `CREATE INDEX verification_codes_by_user ON verification_codes (user_id, purpose, created_at)`,
    );
    await runner.query(`CREATE INDEX verification_codes_expiry ON verification_codes (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'verification_codes',
      'service_user_keys',
      'personal_access_tokens',
      'user_totp_secrets',
      'password_attempts',
      'user_passwords',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
