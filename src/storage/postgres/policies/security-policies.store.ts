import { Injectable } from '@nestjs/common';
import { defaultAttemptPolicy } from '../../../domain/passwords/attempt-policy.js';
import type { StoredPolicy } from '../../../domain/policies/policies.store.js';
import {
  SecurityPoliciesStore,
  type SecurityPolicyKind,
  type SecurityPolicyKinds,
} from '../../../domain/policies/security-policies.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { detailsOf, type ResourceRow } from '../resource-row.js';
import { Sql } from '../sql.js';
import type { Statement } from '../statement.js';

type Columns<Policy> = readonly (readonly [field: keyof Policy & string, column: string])[];

const COLUMNS: { readonly [Kind in SecurityPolicyKind]: Columns<SecurityPolicyKinds[Kind]> } = {
  login: [['allowRegister', 'allow_register']],
  password: [
    ['minLength', 'min_length'],
    ['lowerCase', 'has_lowercase'],
    ['upperCase', 'has_uppercase'],
    ['number', 'has_number'],
    ['symbol', 'has_symbol'],
  ],
  lockout: [
    ['lockAfterFailures', 'max_attempts'],
    ['freeFailures', 'free_attempts'],
    ['firstWaitSeconds', 'first_wait_seconds'],
    ['lockSeconds', 'lock_seconds'],
  ],
  token: [
    ['accessTokenSeconds', 'access_token_seconds'],
    ['idTokenSeconds', 'id_token_seconds'],
    ['refreshIdleSeconds', 'refresh_idle_seconds'],
    ['refreshAbsoluteSeconds', 'refresh_absolute_seconds'],
  ],
};

/** Members that no organization decides. */
const FIXED: Partial<Record<SecurityPolicyKind, object>> = {
  lockout: { forgetAfterSeconds: defaultAttemptPolicy.forgetAfterSeconds },
};

const RESOURCE_COLUMNS = 'org_id, sequence, created_at, changed_at';

type Statements = {
  readonly find: Statement;
  readonly lockForUpdate: Statement;
  readonly replace: Statement;
};

function statementsOf(kind: SecurityPolicyKind): Statements {
  const table = `${kind}_policies`;
  const columns = COLUMNS[kind].map(([, column]) => column);
  const returned = `${columns.join(', ')}, is_set, ${RESOURCE_COLUMNS}`;
  const set = columns.map((column, index) => `${column} = $${index + 3}`).join(', ');
  return {
    find: {
      name: `policies-find-${kind}`,
      text: `SELECT ${returned} FROM ${table} WHERE org_id = $1 AND is_set`,
    },
    // the touch waits for whoever holds the row, then gives what they left; a row made here counts no change yet
    lockForUpdate: {
      name: `policies-hold-${kind}`,
      text: `
        INSERT INTO ${table} AS p (org_id, sequence) VALUES ($1, 0)
        ON CONFLICT (org_id) DO UPDATE SET org_id = p.org_id
        RETURNING ${returned}`,
    },
    replace: {
      name: `policies-replace-${kind}`,
      text: `
        UPDATE ${table} SET is_set = $2, ${set}, sequence = sequence + 1, changed_at = app_now()
        WHERE org_id = $1 RETURNING ${RESOURCE_COLUMNS}`,
    },
  };
}

const STATEMENTS: Readonly<Record<SecurityPolicyKind, Statements>> = {
  login: statementsOf('login'),
  password: statementsOf('password'),
  lockout: statementsOf('lockout'),
  token: statementsOf('token'),
};

type PolicyRow = ResourceRow & { is_set: boolean } & Record<string, unknown>;

function toPolicy<Kind extends SecurityPolicyKind>(kind: Kind, row: PolicyRow): SecurityPolicyKinds[Kind] {
  const members = COLUMNS[kind].map(([field, column]) => [field, row[column] ?? undefined]);
  const given = members.filter(([, value]) => value !== undefined);
  // the columns are the type's own members, which the compiler cannot follow through the table above
  return { ...(Object.fromEntries(given) as SecurityPolicyKinds[Kind]), ...FIXED[kind] };
}

@Injectable()
export class PgSecurityPoliciesStore extends SecurityPoliciesStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async find<Kind extends SecurityPolicyKind>(
    kind: Kind,
    orgId: OrgId,
    tx?: Tx,
  ): Promise<StoredPolicy<SecurityPolicyKinds[Kind]> | undefined> {
    const row = await this.sql.row<PolicyRow>(STATEMENTS[kind].find, [orgId], tx);
    return row && { policy: toPolicy(kind, row), details: detailsOf(row) };
  }

  override async lockForUpdate<Kind extends SecurityPolicyKind>(
    tx: Tx,
    kind: Kind,
    orgId: OrgId,
  ): Promise<SecurityPolicyKinds[Kind] | undefined> {
    const row = await this.sql.row<PolicyRow>(STATEMENTS[kind].lockForUpdate, [orgId], tx);
    return row === undefined || row.sequence === '0' ? undefined : toPolicy(kind, row);
  }

  override async replace<Kind extends SecurityPolicyKind>(
    tx: Tx,
    kind: Kind,
    orgId: OrgId,
    policy: SecurityPolicyKinds[Kind],
    isSet: boolean,
  ): Promise<ResourceDetails> {
    const values = COLUMNS[kind].map(([field]) => policy[field as keyof typeof policy] ?? null);
    const row = await this.sql.row<ResourceRow>(STATEMENTS[kind].replace, [orgId, isSet, ...values], tx);
    if (row === undefined) throw new Error(`a ${kind} policy was replaced that nobody holds`);
    return detailsOf(row);
  }
}
