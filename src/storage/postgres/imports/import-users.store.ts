// SQL by hand: the users of a chunk are looked up, locked and removed in sets, and added by COPY
import { Injectable } from '@nestjs/common';
import type { ProviderDestination } from '../../../domain/identity-providers/identity-provider.js';
import { rulesOf } from '../../../domain/identity-providers/rules-of-kind.js';
import { identityKey } from '../../../domain/imports/records/imported-identities.js';
import {
  ImportUsersStore,
  nameKey,
  type KnownUsers,
  type MessageToEnqueue,
  type MetadataToSet,
  type NameInOrg,
  type NoticeToEnqueue,
  type Preparation,
  type UserBefore,
  type UsersToWrite,
  type UserToChange,
  type WriteResult,
} from '../../../domain/imports/write/import-users.store.js';
import type { Role } from '../../../domain/permissions/permissions.js';
import type { CodeFactorKind } from '../../../domain/policies/factor-policy.js';
import { Sealer } from '../../../domain/secrets/sealer.js';
import type { IdentityProviderId, ImportJobId, OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { USABLE_STATES } from '../../../domain/users/user.js';
import { MOST_METADATA } from '../../../domain/users/users.store.js';
import { oneOf } from '../one-of.js';
import { savepoint } from '../savepoint.js';
import { isRefusal, Sql, uniqueViolation } from '../sql.js';
import type { CopyTable } from '../throughput/copy-rows.js';
import { toUser, USER_COLUMNS, USER_JOINS, type UserRow } from '../users/user-rows.js';
import { changeUsers, setMetadata } from './change-imported-users.js';
import { eventTable, messageTables, userTables } from './import-copy-tables.js';

const PREPARE = {
  name: 'import-users-prepare',
  text: `
    SELECT ARRAY(SELECT new_id() FROM generate_series(1, $1::int)) AS ids,
      ARRAY(SELECT jsonb_build_array(domain, org_id, is_primary) FROM organization_domains
            WHERE domain = ANY ($2::text[]) AND is_verified) AS domains,
      ARRAY(SELECT id FROM organizations WHERE id = ANY ($3::text[]) AND state <> 'removed') AS organizations,
      ARRAY(SELECT jsonb_build_array(id, org_id, kind, settings) FROM identity_providers WHERE id = ANY ($4::text[])) AS providers`,
};

const FIND_IDS = {
  name: 'import-users-find-ids',
  // known_ids: ids of objects other than users, which users cannot have
  text: `
    SELECT id, org_id, CASE WHEN state = 'deleted' THEN 'deleted' ELSE 'user' END AS is FROM users
    WHERE id = ANY ($1::text[])
    UNION ALL SELECT id, '', 'other' FROM known_ids WHERE id = ANY ($1::text[])`,
};

// by key, so that names that do not exist cost one index look-up each
const FIND_NAMES = {
  name: 'import-users-find-names',
  text: `
    SELECT i.org_id, i.kind, i.canonical, i.user_id
    FROM unnest($1::text[], $2::text[], $3::text[]) AS asked (org_id, kind, canonical)
    JOIN login_identifiers i ON i.org_id = asked.org_id AND i.kind = asked.kind AND i.canonical = asked.canonical`,
};

// in all organizations: a credential belongs to one user of the instance
const FIND_PASSKEYS = {
  name: 'import-users-find-passkeys',
  text: `SELECT encode(credential_id, 'hex') AS credential, user_id FROM passkeys WHERE credential_id = ANY ($1::bytea[])`,
};

// in all organizations: a subject belongs to one user
const FIND_IDENTITIES = {
  name: 'import-users-find-identities',
  text: `
    SELECT i.provider_id, i.subject, i.user_id FROM unnest($1::text[], $2::text[]) AS asked (provider_id, subject)
    JOIN user_identities i ON i.provider_id = asked.provider_id AND i.subject = asked.subject`,
};

const LOCK_USERS = {
  name: 'import-users-lock-for-update',
  text: `SELECT id FROM users WHERE id = ANY ($1::text[]) AND state <> 'deleted' ORDER BY id FOR NO KEY UPDATE`,
};

// a statement of its own: that which waits for a lock would read roles, passwords and sequences as they were before the wait
const READ_LOCKED_USERS = {
  name: 'import-users-read-locked',
  text: `
    SELECT ${USER_COLUMNS},
      EXISTS (SELECT FROM user_passwords p WHERE p.user_id = u.id) AS has_password,
      EXISTS (SELECT FROM user_totp_secrets t WHERE t.user_id = u.id) AS has_totp_secret,
      EXISTS (SELECT FROM user_recovery_codes c WHERE c.user_id = u.id) AS has_recovery_codes,
      ARRAY(SELECT c.kind FROM user_code_factors c WHERE c.user_id = u.id) AS code_factors,
      ARRAY(SELECT jsonb_build_array(encode(k.credential_id, 'hex'), k.passwordless) FROM passkeys k
            WHERE k.user_id = u.id) AS passkeys,
      ARRAY(SELECT jsonb_build_array(i.provider_id, i.subject) FROM user_identities i
            WHERE i.org_id = u.org_id AND i.user_id = u.id) AS identities,
      ARRAY(SELECT jsonb_build_array(x.key, encode(sha256(x.value), 'hex')) FROM user_metadata x
            WHERE x.user_id = u.id) AS metadata,
      ARRAY(SELECT jsonb_build_array(ms.role, ms.org_id) FROM memberships ms WHERE ms.user_id = u.id) AS roles
    FROM users u ${USER_JOINS} WHERE u.id = ANY ($1::text[])`,
};

// inserted in the same order by every import, so that two do not deadlock
const NOTE_NAMES = {
  name: 'import-users-note-names',
  text: `
    WITH asked AS MATERIALIZED (
      SELECT hashtextextended(key, 0) AS hash, place FROM unnest($2::text[]) WITH ORDINALITY AS given (key, place)
    ), noted AS (
      INSERT INTO import_names (import_id, hash) SELECT DISTINCT $1, hash FROM asked ORDER BY hash
      ON CONFLICT DO NOTHING RETURNING hash
    )
    SELECT EXISTS (SELECT FROM noted WHERE noted.hash = asked.hash) AS first FROM asked ORDER BY place`,
};

/** Prefix of an id; no other key of a record begins with it (keysOf). */
const TRIED = 't:';
const TRIED_IDS = {
  name: 'import-users-tried-ids',
  text: `
    SELECT given.id FROM unnest($2::text[]) AS given (id)
    WHERE EXISTS (SELECT FROM import_names n
                  WHERE n.import_id = $1 AND n.hash = hashtextextended('${TRIED}' || given.id, 0))`,
};

const WITH_TOO_MUCH_METADATA = {
  name: 'import-users-with-too-much-metadata',
  text: `
    SELECT user_id AS id FROM user_metadata WHERE user_id = ANY ($1::text[]) GROUP BY user_id
    HAVING count(*) > $2 OR sum(octet_length(key) + octet_length(value)) > $3`,
};

const TRY = savepoint('import_try');
const TRIAL = savepoint('import_trial');

const DRAW_OUTBOX_IDS = {
  name: 'import-users-draw-outbox-ids',
  text: `SELECT nextval(pg_get_serial_sequence('outbox', 'id')) AS id FROM generate_series(1, $1::int)`,
};

const END_CODES = {
  name: 'import-users-end-codes',
  text: `
    UPDATE verification_codes v SET ended_at = $3
    FROM unnest($1::text[], $2::text[]) AS g (user_id, purpose)
    WHERE v.user_id = g.user_id AND v.purpose = g.purpose AND v.ended_at IS NULL`,
};

const WITH_SESSIONS = {
  name: 'import-users-with-sessions',
  text: `
    SELECT u.id FROM unnest($1::text[]) AS u (id)
    WHERE EXISTS (SELECT FROM sessions s WHERE s.user_id = u.id AND s.ended_at IS NULL)
       OR EXISTS (SELECT FROM authorizations g WHERE g.user_id = u.id AND g.revoked_at IS NULL)`,
};

// a sign-in under way has locked the user's row, or waits for this lock: so rows are locked before REMOVE_UNTOUCHED checks them
const LOCK_FOR_REMOVAL = {
  name: 'import-users-lock-for-removal',
  text: `SELECT id FROM users WHERE id = ANY ($1::text[]) ORDER BY id FOR UPDATE`,
};

const REMOVE_UNTOUCHED = {
  name: 'import-users-remove-untouched',
  text: `
    DELETE FROM users u USING unnest($1::text[], $2::bigint[]) AS g (id, sequence)
    WHERE u.id = g.id AND u.sequence = g.sequence
      AND NOT EXISTS (SELECT FROM sessions s WHERE s.user_id = u.id)
      AND NOT EXISTS (SELECT FROM authorizations s WHERE s.user_id = u.id)
      AND NOT EXISTS (SELECT FROM memberships s WHERE s.user_id = u.id)
      AND NOT EXISTS (SELECT FROM role_assignments s WHERE s.user_id = u.id)
      AND NOT EXISTS (SELECT FROM personal_access_tokens s WHERE s.user_id = u.id)
      AND NOT EXISTS (SELECT FROM service_user_keys s WHERE s.user_id = u.id)
      AND NOT EXISTS (SELECT FROM service_users s WHERE s.user_id = u.id AND s.secret_hash IS NOT NULL)
    RETURNING u.id, u.org_id, u.sequence + 1 AS sequence`,
};

const DUE_MESSAGES = {
  name: 'import-users-due-messages',
  text: `
    SELECT u.org_id, u.id AS user_id, m.purpose, m.target
    FROM users u JOIN user_humans h ON h.user_id = u.id
    CROSS JOIN LATERAL (VALUES
      (CASE WHEN NOT EXISTS (SELECT FROM user_passwords p WHERE p.user_id = u.id)
                 AND NOT EXISTS (SELECT FROM passkeys k WHERE k.user_id = u.id AND k.passwordless)
                 AND NOT EXISTS (SELECT FROM user_identities i WHERE i.org_id = u.org_id AND i.user_id = u.id) THEN 'initialise'
            WHEN NOT h.email_verified THEN 'verify_email' END, h.email),
      (CASE WHEN h.pending_email IS NOT NULL THEN 'verify_email' END, h.pending_email),
      (CASE WHEN h.phone IS NOT NULL AND NOT h.phone_verified THEN 'verify_phone' END, h.phone)
    ) AS m (purpose, target)
    WHERE u.id = ANY ($1::text[]) AND u.state ${oneOf(USABLE_STATES)} AND m.purpose IS NOT NULL
    ORDER BY u.id, m.purpose`,
};

@Injectable()
export class PgImportUsersStore extends ImportUsersStore {
  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
  ) {
    super();
  }

  override async prepare(wanted: {
    readonly newIds: number;
    readonly domains: readonly string[];
    readonly orgIds: readonly OrgId[];
    readonly providerIds: readonly IdentityProviderId[];
  }): Promise<Preparation> {
    type Row = {
      ids: UserId[];
      domains: [string, OrgId, boolean][];
      organizations: OrgId[];
      providers: [IdentityProviderId, OrgId | null, string, object][];
    };
    const row = await this.sql.row<Row>(PREPARE, [
      wanted.newIds,
      wanted.domains,
      wanted.orgIds,
      wanted.providerIds,
    ]);
    if (row === undefined) throw new Error('nothing was prepared');
    return {
      ids: row.ids,
      domainOwners: new Map(row.domains.map(([domain, orgId, isPrimary]) => [domain, { orgId, isPrimary }])),
      organizations: new Set(row.organizations),
      providers: new Map(
        row.providers.map(([id, orgId, kind, settings]) => {
          // written together, from one record
          const { keptSubject } = rulesOf({ kind, settings } as ProviderDestination);
          return [id, { orgId, keptSubject: (subject) => keptSubject?.(subject) ?? subject }];
        }),
      ),
    };
  }

  override async find(
    tx: Tx | undefined,
    { ids, userNames, emails, passkeys, identities }: Parameters<ImportUsersStore['find']>[1],
  ): Promise<KnownUsers> {
    type IdRow = { id: string; org_id: OrgId; is: 'user' | 'deleted' | 'other' };
    type NameRow = { org_id: OrgId; kind: 'user_name' | 'email'; canonical: string; user_id: UserId };
    const byId = ids.length === 0 ? [] : await this.sql.rows<IdRow>(FIND_IDS, [ids], tx);
    const asked: readonly (readonly [NameInOrg, string])[] = [
      ...userNames.map((name) => [name, 'user_name'] as const),
      ...emails.map((name) => [name, 'email'] as const),
    ];
    const values = [
      asked.map(([{ orgId }]) => orgId),
      asked.map(([, kind]) => kind),
      asked.map(([{ canonical }]) => canonical),
    ];
    const names = asked.length === 0 ? [] : await this.sql.rows<NameRow>(FIND_NAMES, values, tx);
    type PasskeyRow = { credential: string; user_id: UserId };
    const credentials = passkeys.map(({ credentialId }) => credentialId);
    const owned =
      credentials.length === 0 ? [] : await this.sql.rows<PasskeyRow>(FIND_PASSKEYS, [credentials], tx);
    type IdentityRow = { provider_id: IdentityProviderId; subject: string; user_id: UserId };
    const named = [identities.map(({ providerId }) => providerId), identities.map(({ subject }) => subject)];
    const identified =
      identities.length === 0 ? [] : await this.sql.rows<IdentityRow>(FIND_IDENTITIES, named, tx);
    const keyed = (wanted: string): Map<string, UserId> =>
      new Map(
        names
          .filter(({ kind }) => kind === wanted)
          .map((row) => [nameKey(row.org_id, row.canonical), row.user_id]),
      );
    return {
      byId: new Map(byId.map((row) => [row.id, { orgId: row.org_id, is: row.is }])),
      byUserName: keyed('user_name'),
      byEmail: keyed('email'),
      byPasskey: new Map(owned.map(({ credential, user_id: userId }) => [credential, userId])),
      byIdentity: new Map(
        identified.map(({ provider_id: providerId, subject, user_id: userId }) => [
          identityKey({ providerId, subject }),
          userId,
        ]),
      ),
    };
  }

  override async lockUsersForUpdate(
    tx: Tx,
    ids: readonly UserId[],
  ): Promise<ReadonlyMap<UserId, UserBefore>> {
    type Row = UserRow & {
      has_password: boolean;
      has_totp_secret: boolean;
      has_recovery_codes: boolean;
      code_factors: CodeFactorKind[];
      passkeys: [string, boolean][];
      identities: [IdentityProviderId, string][];
      metadata: [string, string][];
      roles: [Role, OrgId | null][];
    };
    const locked = await this.sql.rows<{ id: UserId }>(LOCK_USERS, [ids], tx);
    const rows = await this.sql.rows<Row>(READ_LOCKED_USERS, [locked.map(({ id }) => id)], tx);
    return new Map(
      rows.map((row) => [
        row.id,
        {
          user: toUser(row),
          hasPassword: row.has_password,
          hasTotpSecret: row.has_totp_secret,
          hasRecoveryCodes: row.has_recovery_codes,
          codeFactors: row.code_factors,
          passkeys: new Map(row.passkeys),
          identities: new Set(
            row.identities.map(([providerId, subject]) => identityKey({ providerId, subject })),
          ),
          metadata: new Map(row.metadata),
          roles: row.roles.map(([role, orgId]) => ({ role, orgId })),
        },
      ]),
    );
  }

  override async noteNames(tx: Tx, jobId: ImportJobId, keys: readonly string[]): Promise<readonly boolean[]> {
    if (keys.length === 0) return [];
    const rows = await this.sql.rows<{ first: boolean }>(NOTE_NAMES, [jobId, keys], tx);
    return rows.map(({ first }) => first);
  }

  override async noteTriedIds(tx: Tx, jobId: ImportJobId, ids: readonly string[]): Promise<void> {
    await this.noteNames(
      tx,
      jobId,
      ids.map((id) => TRIED + id),
    );
  }

  override async triedIds(tx: Tx, jobId: ImportJobId, ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.sql.rows<{ id: string }>(TRIED_IDS, [jobId, ids], tx);
    return new Set(rows.map(({ id }) => id));
  }

  override async setMetadata(tx: Tx, entries: readonly MetadataToSet[], now: Date): Promise<void> {
    await setMetadata(this.sql, tx, entries, now);
  }

  override async withTooMuchMetadata(tx: Tx, ids: readonly UserId[]): Promise<readonly UserId[]> {
    const { keys, bytes } = MOST_METADATA;
    const rows = await this.sql.rows<{ id: UserId }>(WITH_TOO_MUCH_METADATA, [ids, keys, bytes], tx);
    return rows.map(({ id }) => id);
  }

  override async write(tx: Tx, users: UsersToWrite): Promise<WriteResult> {
    await this.sql.change(TRY.BEGIN, [], tx);
    try {
      if (users.changes.length > 0) await changeUsers(this.sql, this.sealer, tx, users);
      const full = await this.fullBy(tx, users.changes);
      if (full.size > 0) {
        await this.sql.change(TRY.ROLLBACK, [], tx);
        return { full };
      }
      const messages = await this.tablesOfMessages(tx, users.messages, users.notices, users.now);
      const added = new Set(users.adds.map(({ id }) => id));
      await this.endCodes(
        tx,
        users.messages.filter(({ userId }) => !added.has(userId)),
        users.now,
      );
      await this.sql.copy(tx, [
        ...userTables(this.sealer, users.adds, users.now, users.madeBy),
        eventTable(users.events, users.now),
        ...messages,
      ]);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await this.sql.change(TRY.ROLLBACK, [], tx);
      return uniqueViolation(error) === undefined ? 'refused' : 'taken';
    }
    await this.sql.change(TRY.RELEASE, [], tx);
    return 'written';
  }

  override async beginTrial(tx: Tx): Promise<void> {
    await this.sql.change(TRIAL.BEGIN, [], tx);
  }

  override async takeBack(tx: Tx): Promise<void> {
    await this.sql.change(TRIAL.ROLLBACK, [], tx);
  }

  override async withSessions(tx: Tx, ids: readonly UserId[]): Promise<readonly UserId[]> {
    return (await this.sql.rows<{ id: UserId }>(WITH_SESSIONS, [ids], tx)).map(({ id }) => id);
  }

  override async removeUntouched(
    tx: Tx,
    users: readonly { readonly id: UserId; readonly sequence: number }[],
  ): Promise<readonly { readonly id: UserId; readonly orgId: OrgId; readonly sequence: string }[]> {
    if (users.length === 0) return [];
    const ids = users.map(({ id }) => id);
    await this.sql.rows(LOCK_FOR_REMOVAL, [ids], tx);
    type Row = { id: UserId; org_id: OrgId; sequence: string };
    const values = [ids, users.map(({ sequence }) => sequence)];
    const rows = await this.sql.rows<Row>(REMOVE_UNTOUCHED, values, tx);
    return rows.map(({ id, org_id: orgId, sequence }) => ({ id, orgId, sequence }));
  }

  override async dueMessages(tx: Tx, ids: readonly UserId[]): Promise<readonly MessageToEnqueue[]> {
    type Row = { org_id: OrgId; user_id: UserId; purpose: MessageToEnqueue['purpose']; target: string };
    const rows = await this.sql.rows<Row>(DUE_MESSAGES, [ids], tx);
    return rows.map(({ org_id: orgId, user_id: userId, purpose, target }) => ({
      orgId,
      userId,
      purpose,
      target,
    }));
  }

  override async enqueueMessages(tx: Tx, messages: readonly MessageToEnqueue[], now: Date): Promise<void> {
    await this.endCodes(tx, messages, now);
    await this.sql.copy(tx, await this.tablesOfMessages(tx, messages, [], now));
  }

  /** A new user cannot have too much: a record does not hold it. */
  private async fullBy(tx: Tx, changes: readonly UserToChange[]): Promise<ReadonlySet<string>> {
    const fed = changes.flatMap(({ id, metadata }) => (metadata.length > 0 ? [id] : []));
    return new Set(fed.length === 0 ? [] : await this.withTooMuchMetadata(tx, fed));
  }

  private async tablesOfMessages(
    tx: Tx,
    messages: readonly MessageToEnqueue[],
    notices: readonly NoticeToEnqueue[],
    now: Date,
  ): Promise<CopyTable[]> {
    const count = messages.length + notices.length;
    if (count === 0) return [];
    const drawn = await this.sql.rows<{ id: string }>(DRAW_OUTBOX_IDS, [count], tx);
    const ids = drawn.map(({ id }) => id);
    return messageTables(this.sealer, messages, notices, now, ids);
  }

  private async endCodes(tx: Tx, messages: readonly MessageToEnqueue[], now: Date): Promise<void> {
    if (messages.length === 0) return;
    const values = [messages.map(({ userId }) => userId), messages.map(({ purpose }) => purpose), now];
    await this.sql.change(END_CODES, values, tx);
  }
}
