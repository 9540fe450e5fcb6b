import { Injectable } from '@nestjs/common';
import type { BrandingPolicy } from '../../../domain/policies/branding-policy.js';
import type { Logo, LogoName } from '../../../domain/policies/logo.js';
import { PoliciesStore, type StoredPolicy } from '../../../domain/policies/policies.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import type { Language } from '../../../domain/shared/locale.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { detailsOf, type ResourceRow } from '../resource-row.js';
import { Sql } from '../sql.js';

const RESOURCE_COLUMNS = 'org_id, sequence, created_at, changed_at';

const BRANDING_COLUMNS =
  'display_name, accent_color, logo, logo_name, default_language, help_url, privacy_url';

const FIND_BRANDING = {
  name: 'policies-find-branding',
  text: `SELECT ${BRANDING_COLUMNS}, ${RESOURCE_COLUMNS} FROM branding_policies WHERE org_id = $1`,
};

const LOCK_BRANDING = {
  name: 'policies-lock-branding',
  text: `
    INSERT INTO branding_policies AS p (org_id, sequence) VALUES ($1, 0)
    ON CONFLICT (org_id) DO UPDATE SET org_id = p.org_id
    RETURNING ${BRANDING_COLUMNS}, ${RESOURCE_COLUMNS}`,
};

const REPLACE_BRANDING = {
  name: 'policies-replace-branding',
  text: `
    UPDATE branding_policies SET display_name = $2, accent_color = $3, logo = $4, logo_name = $5,
      default_language = $6, help_url = $7, privacy_url = $8, sequence = sequence + 1, changed_at = app_now()
    WHERE org_id = $1 RETURNING ${RESOURCE_COLUMNS}`,
};

const FIND_LOGO = {
  name: 'policies-find-logo',
  text: `SELECT logo FROM branding_policies WHERE logo_name = $1 LIMIT 1`,
};

type BrandingRow = ResourceRow & {
  display_name: string | null;
  accent_color: string | null;
  logo: Buffer | null;
  logo_name: LogoName | null;
  default_language: Language | null;
  help_url: string | null;
  privacy_url: string | null;
};

function toBranding(row: BrandingRow): BrandingPolicy {
  const { logo: content, logo_name: name } = row;
  return {
    ...(row.display_name === null ? {} : { displayName: row.display_name }),
    ...(row.accent_color === null ? {} : { accentColor: row.accent_color }),
    ...(content === null || name === null ? {} : { logo: { name, content } }),
    ...(row.default_language === null ? {} : { defaultLanguage: row.default_language }),
    ...(row.help_url === null ? {} : { helpUrl: row.help_url }),
    ...(row.privacy_url === null ? {} : { privacyUrl: row.privacy_url }),
  };
}

/** A row that `lock…` has just made stands for no policy. */
function held<Row extends ResourceRow>(row: Row | undefined): Row | undefined {
  return row === undefined || row.sequence === '0' ? undefined : row;
}

@Injectable()
export class PgPoliciesStore extends PoliciesStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async findBranding(orgId: OrgId): Promise<StoredPolicy<BrandingPolicy> | undefined> {
    const row = await this.sql.row<BrandingRow>(FIND_BRANDING, [orgId]);
    return row && { policy: toBranding(row), details: detailsOf(row) };
  }

  override async lockBrandingForUpdate(tx: Tx, orgId: OrgId): Promise<BrandingPolicy | undefined> {
    const row = held(await this.sql.row<BrandingRow>(LOCK_BRANDING, [orgId], tx));
    return row && toBranding(row);
  }

  override async replaceBranding(tx: Tx, orgId: OrgId, policy: BrandingPolicy): Promise<ResourceDetails> {
    const values = [
      orgId,
      policy.displayName ?? null,
      policy.accentColor ?? null,
      policy.logo?.content ?? null,
      policy.logo?.name ?? null,
      policy.defaultLanguage ?? null,
      policy.helpUrl ?? null,
      policy.privacyUrl ?? null,
    ];
    const row = await this.sql.row<ResourceRow>(REPLACE_BRANDING, values, tx);
    if (row === undefined) throw new Error('a branding policy was replaced that nobody has locked');
    return detailsOf(row);
  }

  override async findLogo(name: LogoName): Promise<Logo | undefined> {
    const row = await this.sql.row<{ logo: Buffer }>(FIND_LOGO, [name]);
    return row && { name, content: row.logo };
  }
}
