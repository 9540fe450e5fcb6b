// SQL by hand: the users of a chunk are changed in sets, by one statement for each table
import type {
  MetadataToSet,
  UsersToWrite,
  UserToChange,
} from '../../../domain/imports/write/import-users.store.js';
import type { Sealer } from '../../../domain/secrets/sealer.js';
import type { UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { provesName } from '../../../domain/users/email-address.js';
import type { Sql } from '../sql.js';
import type { Statement } from '../statement.js';
import { SET_ANEW } from '../table.js';
import { rememberLostNames } from '../user-migration/former-names.js';
import { HUMAN_COLUMNS, HUMAN_NAMES, humanColumns, totpPlace } from '../users/user-rows.js';
import { identityRows, passkeyRows, PASSKEYS, recoveryCodeHashes } from './import-copy-tables.js';

// with the tokens ends a link that adds a passkey: whoever has it could sign in by it (`EndAccess`)
const CHANGE_USERS = {
  name: 'import-users-change',
  text: `
    WITH given AS (
      SELECT * FROM jsonb_to_recordset($1::jsonb) AS g (id text, user_name text, state text, ends_tokens boolean)
    ), ended AS (
      UPDATE verification_codes v SET ended_at = $2::timestamptz FROM given
      WHERE given.ends_tokens AND v.user_id = given.id AND v.purpose = 'register_passkey' AND v.ended_at IS NULL
    )
    UPDATE users u SET user_name = g.user_name, state = g.state, changed_at = $2::timestamptz, sequence = u.sequence + 1,
      token_epoch = u.token_epoch + CASE WHEN g.ends_tokens THEN 1 ELSE 0 END
    FROM given g WHERE u.id = g.id`,
};

const CHANGE_HUMANS = {
  name: 'import-users-change-humans',
  text: `
    UPDATE user_humans h SET pending_email = g.pending_email,
      ${HUMAN_NAMES.map((name) => `${name} = g.${name}`).join(', ')}
    FROM jsonb_to_recordset($1::jsonb) AS g (id text, pending_email text,
      ${HUMAN_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ')})
    WHERE h.user_id = g.id`,
};

const CHANGE_MACHINES = {
  name: 'import-users-change-machines',
  text: `
    UPDATE service_users m SET name = g.name, description = g.description, access_token_type = g.access_token_type
    FROM jsonb_to_recordset($1::jsonb) AS g (id text, name text, description text, access_token_type text)
    WHERE m.user_id = g.id`,
};

const CHANGE_NAMES = {
  name: 'import-users-change-names',
  text: `
    UPDATE login_identifiers i SET canonical = g.user_name
    FROM jsonb_to_recordset($1::jsonb) AS g (id text, user_name text)
    WHERE i.user_id = g.id AND i.kind = 'user_name' AND i.canonical <> g.user_name`,
};

const FREE_EMAILS = {
  name: 'import-users-free-emails',
  text: `
    DELETE FROM login_identifiers i USING jsonb_to_recordset($1::jsonb) AS g (id text, email text, proves boolean)
    WHERE i.user_id = g.id AND i.kind = 'email'
      AND (i.canonical IS DISTINCT FROM g.email OR i.proven AND NOT g.proves)`,
};

// an imported address counts as verified; what a user has proven before stays proven
const NAME_EMAILS = {
  name: 'import-users-name-emails',
  text: `
    INSERT INTO login_identifiers (org_id, kind, canonical, user_id)
    SELECT g.org_id, 'email', g.email, g.id
    FROM jsonb_to_recordset($1::jsonb) AS g (id text, org_id text, email text)
    WHERE g.email IS NOT NULL AND NOT EXISTS (
      SELECT FROM login_identifiers i WHERE i.user_id = g.id AND i.kind = 'email' AND i.canonical = g.email)
    ORDER BY g.org_id, g.email`,
};

// also ends codes with which another password could be set
const CHANGE_PASSWORDS = {
  name: 'import-users-change-passwords',
  text: `
    WITH given AS (
      SELECT * FROM jsonb_to_recordset($1::jsonb) AS g (id text, org_id text, hash text, scheme text, weak boolean,
        change_required boolean, made_by text)
    ), ended AS (
      UPDATE verification_codes v SET ended_at = $2::timestamptz FROM given
      WHERE v.user_id = given.id AND v.purpose IN ('reset_password', 'initialise') AND v.ended_at IS NULL
    ), forgiven AS (
      DELETE FROM password_attempts a USING given WHERE a.user_id = given.id
    )
    INSERT INTO user_passwords AS p (user_id, org_id, hash, scheme, weak, change_required, made_by, changed_at)
    SELECT id, org_id, hash, scheme, weak, change_required, made_by, $2::timestamptz FROM given
    ON CONFLICT ON CONSTRAINT user_passwords_pkey DO UPDATE SET hash = excluded.hash, scheme = excluded.scheme,
      weak = excluded.weak, change_required = excluded.change_required, made_by = excluded.made_by,
      changed_at = excluded.changed_at, rehash_withheld_at = NULL`,
};

const SET_METADATA = {
  name: 'import-users-set-metadata',
  text: `
    INSERT INTO user_metadata AS m (org_id, user_id, key, value, sequence, created_at, changed_at)
    SELECT g.org_id, g.id, g.key, decode(g.value, 'hex'), ${SET_ANEW}, $2, $2
    FROM jsonb_to_recordset($1::jsonb) AS g (id text, org_id text, key text, value text)
    ON CONFLICT ON CONSTRAINT user_metadata_pkey DO UPDATE
      SET value = excluded.value, sequence = m.sequence + 1, changed_at = excluded.changed_at`,
};

const SET_TOTP_SECRETS = {
  name: 'import-users-set-totp-secrets',
  text: `
    INSERT INTO user_totp_secrets (user_id, org_id, secret_sealed, data_key_id, created_at)
    SELECT g.id, g.org_id, decode(g.sealed, 'hex'), g.data_key_id, $2
    FROM jsonb_to_recordset($1::jsonb) AS g (id text, org_id text, sealed text, data_key_id integer)
    ON CONFLICT ON CONSTRAINT user_totp_secrets_pkey DO UPDATE SET secret_sealed = excluded.secret_sealed,
      data_key_id = excluded.data_key_id, created_at = excluded.created_at`,
};

const DROP_RECOVERY_CODES = {
  name: 'import-users-drop-recovery-codes',
  text: `DELETE FROM user_recovery_codes WHERE user_id = ANY ($1::text[])`,
};

const ADD_RECOVERY_CODES = {
  name: 'import-users-add-recovery-codes',
  text: `
    INSERT INTO user_recovery_codes (user_id, org_id, hash, created_at)
    SELECT g.id, g.org_id, g.hash, $2
    FROM jsonb_to_recordset($1::jsonb) AS g (id text, org_id text, hash text)`,
};

const ADD_CODE_FACTORS = {
  name: 'import-users-add-code-factors',
  text: `
    INSERT INTO user_code_factors (user_id, org_id, kind, created_at)
    SELECT g.id, g.org_id, g.kind, $2
    FROM jsonb_to_recordset($1::jsonb) AS g (id text, org_id text, kind text)
    ON CONFLICT DO NOTHING`,
};

// in one order everywhere, as in `userTables`
const ADD_PASSKEYS = {
  name: 'import-users-add-passkeys',
  text: `
    INSERT INTO passkeys (${PASSKEYS.join(', ')})
    SELECT decode(g.credential_id, 'hex'), g.user_id, g.org_id, decode(g.public_key, 'hex'), decode(g.user_handle, 'hex'),
      g.sign_count, g.transports, g.name, g.passwordless, g.backup_eligible, g.backed_up, g.last_used_at,
      g.counter_went_back_at, g.link_made_by, g.imported_at, g.created_at, g.changed_at
    FROM jsonb_to_recordset($1::jsonb) AS g (credential_id text, user_id text, org_id text, public_key text,
      user_handle text, sign_count bigint, transports text[], name text, passwordless boolean, backup_eligible boolean,
      backed_up boolean, last_used_at timestamptz, counter_went_back_at timestamptz, link_made_by text,
      imported_at timestamptz, created_at timestamptz, changed_at timestamptz)
    ORDER BY g.credential_id`,
};

const ADD_IDENTITIES = {
  name: 'import-users-add-identities',
  text: `
    INSERT INTO user_identities (provider_id, subject, display_name, org_id, user_id, made_by, created_at)
    SELECT g.provider_id, g.subject, g.display_name, g.org_id, g.user_id, g.made_by, g.created_at
    FROM jsonb_to_recordset($1::jsonb) AS g (provider_id text, subject text, display_name text, org_id text,
      user_id text, made_by text, created_at timestamptz)
    ORDER BY g.provider_id, g.subject`,
};

/** Changes users who are there already, as an import says. */
export async function changeUsers(
  sql: Sql,
  sealer: Sealer,
  tx: Tx,
  { changes, now, madeBy }: UsersToWrite,
): Promise<void> {
  const set = async (statement: Statement, rows: readonly object[], ...more: readonly unknown[]) => {
    if (rows.length > 0) await sql.change(statement, [JSON.stringify(rows), ...more], tx);
  };
  await rememberLostNames(
    sql,
    sealer,
    tx,
    changes.map(({ id, orgId, canonicalUserName: userName, canonicalEmail: email }) => {
      return { id, orgId, userName, email };
    }),
  );
  await set(CHANGE_USERS, changes.map(userRow), now);
  await set(CHANGE_HUMANS, changes.flatMap(humanRow));
  const emails = changes.flatMap(emailRow);
  await set(FREE_EMAILS, emails);
  await set(NAME_EMAILS, emails);
  await set(CHANGE_MACHINES, changes.flatMap(machineRow));
  await set(
    CHANGE_NAMES,
    changes.map(({ id, canonicalUserName }) => ({ id, user_name: canonicalUserName })),
  );
  await set(
    CHANGE_PASSWORDS,
    changes.flatMap((change) => passwordRow(change, madeBy)),
    now,
  );
  const entries = changes.flatMap(({ id: userId, orgId, metadata }) =>
    metadata.map((entry) => ({ ...entry, userId, orgId })),
  );
  await set(SET_METADATA, entries.map(metadataRow), now);
  await set(
    SET_TOTP_SECRETS,
    changes.flatMap((change) => totpRow(sealer, change)),
    now,
  );
  await set(
    ADD_CODE_FACTORS,
    changes.flatMap(({ id, orgId: org_id, codeFactors = [] }) =>
      codeFactors.map((kind) => ({ id, org_id, kind })),
    ),
    now,
  );
  await set(
    ADD_IDENTITIES,
    changes.flatMap((change) => identityRows(change, now, madeBy)),
  );
  await set(
    ADD_PASSKEYS,
    changes.flatMap((change) => passkeyRows(change, now, madeBy)),
  );
  const codes = changes.flatMap((change) => recoveryCodeRows(sealer, change));
  if (codes.length === 0) return;
  await sql.change(DROP_RECOVERY_CODES, [[...new Set(codes.map(({ id }) => id))]], tx);
  await set(ADD_RECOVERY_CODES, codes, now);
}

export async function setMetadata(
  sql: Sql,
  tx: Tx,
  entries: readonly MetadataToSet[],
  now: Date,
): Promise<void> {
  await sql.change(SET_METADATA, [JSON.stringify(entries.map(metadataRow)), now], tx);
}

function userRow({ id, userName, state, endsTokens }: UserToChange) {
  return { id, user_name: userName, state, ends_tokens: endsTokens };
}

function humanRow({ id, is }: UserToChange) {
  return is.type === 'human' ? [{ id, ...humanColumns(is), pending_email: is.email.pending ?? null }] : [];
}

function emailRow({ id, orgId: org_id, is, canonicalEmail }: UserToChange) {
  if (is.type !== 'human') return [];
  return [{ id, org_id, email: canonicalEmail ?? null, proves: provesName(is.email.address) }];
}

function machineRow({ id, is }: UserToChange) {
  if (is.type !== 'machine') return [];
  return [{ id, name: is.name, description: is.description ?? null, access_token_type: is.accessTokenType }];
}

function passwordRow({ id, orgId: org_id, password }: UserToChange, madeBy: UserId | undefined) {
  if (password === undefined) return [];
  const { hash, scheme, weak, changeRequired } = password;
  return [{ id, org_id, hash, scheme, weak, change_required: changeRequired, made_by: madeBy ?? '' }];
}

function metadataRow({ orgId: org_id, userId: id, key, value }: MetadataToSet) {
  return { id, org_id, key, value: value.toString('hex') };
}

function totpRow(sealer: Sealer, { id, orgId: org_id, totpSecret }: UserToChange) {
  if (totpSecret === undefined) return [];
  const { sealed, dataKeyId } = sealer.seal(totpPlace(id), Buffer.from(totpSecret));
  return [{ id, org_id, sealed: sealed.toString('hex'), data_key_id: dataKeyId }];
}

function recoveryCodeRows(sealer: Sealer, change: UserToChange) {
  const { id, orgId: org_id } = change;
  return [...recoveryCodeHashes(sealer, change)].map((hash) => ({ id, org_id, hash }));
}
