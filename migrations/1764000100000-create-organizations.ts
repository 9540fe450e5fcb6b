import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Organizations with their domains. One that was removed says when nothing of it is left (`erased_at`); one that is
 * switched off ends what its users and applications were let in with by one number (`token_epoch`). A domain has the text
 * that its organization has to publish to prove it.
 */
export class CreateOrganizations1764000100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE organizations (
        id text NOT NULL DEFAULT new_id() CONSTRAINT organizations_pkey PRIMARY KEY,
        name text NOT NULL,
        state text NOT NULL DEFAULT 'active',
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        erased_at timestamptz,
        token_epoch integer NOT NULL DEFAULT 0,
        CONSTRAINT organizations_state CHECK (state IN ('active', 'inactive', 'removed')),
        CONSTRAINT organizations_name CHECK (char_length(name) BETWEEN 1 AND 200),
        CONSTRAINT organizations_id CHECK (octet_length(id) BETWEEN 1 AND 200 AND id !~ '[^!-~]'),
        CONSTRAINT organizations_erased CHECK (erased_at IS NULL OR state = 'removed')
      )
    `);
    await runner.query(`
      CREATE TRIGGER organizations_claim_id AFTER INSERT ON organizations
      FOR EACH ROW EXECUTE FUNCTION claim_own_id('organization')
    `);
    await runner.query(`
      CREATE TABLE organization_domains (
        org_id text NOT NULL,
        domain text NOT NULL,
        is_verified boolean NOT NULL DEFAULT false,
        is_primary boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        validation_token text,
        sequence bigint NOT NULL DEFAULT 1,
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT organization_domains_pkey PRIMARY KEY (org_id, domain),
        CONSTRAINT organization_domains_org FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT organization_domains_domain CHECK (domain = lower(domain) AND char_length(domain) BETWEEN 1 AND 253),
        CONSTRAINT organization_domains_primary CHECK (is_verified OR NOT is_primary)
      )
    `);
    await runner.query(
      `CREATE UNIQUE INDEX organization_domains_verified ON organization_domains (domain) WHERE is_verified`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX organization_domains_one_primary ON organization_domains (org_id) WHERE is_primary`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['organization_domains', 'organizations']) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
