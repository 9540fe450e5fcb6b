import type { MigrationInterface, QueryRunner } from 'typeorm';

const BEFORE = "'client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt'";
const BY_CERTIFICATE = "'tls_client_auth', 'self_signed_tls_client_auth'";
const NAMES = ['subject_dn', 'san_dns', 'san_uri', 'san_ip', 'san_email'].map(
  (name) => `tls_client_auth_${name}`,
);

/**
 * Mutual TLS (RFC 8705): how the certificate of an application names it, and whether its access tokens are bound to a
 * certificate. The release before lets in no application that is registered for one of the methods. What refresh tokens are
 * bound to stays in `dpop_jkt`: a certificate is written there as no key is, so that the release before lets nobody use them.
 */
export class AddCertificatesOfClients1796680000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE applications
        ADD COLUMN tls_client_certificate_bound_access_tokens boolean NOT NULL DEFAULT false,
        ${NAMES.map((name) => `ADD COLUMN ${name} text`).join(', ')}`);
    await allow(runner, `${BEFORE}, ${BY_CERTIFICATE}`);
  }

  /** What is bound to a certificate, and whoever has nothing else, must not become good without it. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM refresh_token_families WHERE dpop_jkt LIKE 'x5t#S256:%'`);
    await runner.query(
      `UPDATE applications SET auth_method = 'private_key_jwt' WHERE auth_method IN (${BY_CERTIFICATE})`,
    );
    await allow(runner, BEFORE);
    await runner.query(`
      ALTER TABLE applications
        DROP COLUMN tls_client_certificate_bound_access_tokens,
        ${NAMES.map((name) => `DROP COLUMN ${name}`).join(', ')}`);
  }
}

async function allow(runner: QueryRunner, methods: string): Promise<void> {
  await runner.query(`ALTER TABLE applications DROP CONSTRAINT applications_auth_method`);
  await runner.query(
    `ALTER TABLE applications ADD CONSTRAINT applications_auth_method CHECK (auth_method IN (${methods}))`,
  );
}
