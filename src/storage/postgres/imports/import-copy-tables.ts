import type { AuditEvent } from '../../../domain/events/events.store.js';
import {
  importedHash,
  type RecordRecoveryCode,
} from '../../../domain/factors/recovery-codes/recovery-code-hash.js';
import {
  isSms,
  type MessageToEnqueue,
  type NoticeToEnqueue,
  type UserToAdd,
} from '../../../domain/imports/write/import-users.store.js';
import { SEND_NOTIFICATION } from '../../../domain/notifications/enqueue-notification.js';
import type { Sealer } from '../../../domain/secrets/sealer.js';
import type { UserId } from '../../../domain/shared/ids.js';
import { randomCode, randomDigits, randomId } from '../../../domain/shared/random.js';
import { CODE_LIFETIME_MS, macOfCode } from '../../../domain/users/verification/verification-code.js';
import { notificationPlace } from '../notifications/notifications.store.js';
import { copyLine, type CopyTable } from '../throughput/copy-rows.js';
import { HUMAN_NAMES, humanColumns, totpPlace } from '../users/user-rows.js';

const USERS = ['id', 'org_id', 'kind', 'user_name', 'state', 'created_at', 'changed_at'];
const PASSWORDS = ['user_id', 'org_id', 'hash', 'scheme', 'weak', 'change_required', 'made_by', 'changed_at'];
const MACHINES = [
  'user_id',
  'org_id',
  'name',
  'description',
  'access_token_type',
  'secret_hash',
  'secret_made_by',
  'secret_made_at',
];
export const PASSKEYS = [
  'credential_id',
  'user_id',
  'org_id',
  'public_key',
  'user_handle',
  'sign_count',
  'transports',
  'name',
  'passwordless',
  'backup_eligible',
  'backed_up',
  'last_used_at',
  'counter_went_back_at',
  'link_made_by',
  'imported_at',
  'created_at',
  'changed_at',
] as const;
const IDENTITIES = [
  'provider_id',
  'subject',
  'display_name',
  'org_id',
  'user_id',
  'made_by',
  'created_at',
] as const;
const EVENTS = [
  'created_at',
  'org_id',
  'aggregate_type',
  'aggregate_id',
  'sequence',
  'type',
  'actor_id',
  'fields',
  'data',
];
const CODES = [
  'id',
  'org_id',
  'user_id',
  'purpose',
  'target',
  'code_hash',
  'created_at',
  'expires_at',
  'provider_id',
];
const NOTIFICATIONS = [
  'id',
  'org_id',
  'user_id',
  'channel',
  'template',
  'code_id',
  'outbox_id',
  'content_sealed',
  'data_key_id',
  'state',
  'expires_at',
  'created_at',
];
const OUTBOX = ['id', 'queue', 'job_name', 'payload', 'lane', 'available_at', 'created_at'];

/** New users with all that is theirs, in the order in which their tables refer to each other. */
export function userTables(
  sealer: Sealer,
  adds: readonly UserToAdd[],
  now: Date,
  madeBy: UserId | undefined,
): CopyTable[] {
  // in the same order everywhere, so that two imports with the same ids or names do not deadlock
  const sorted = [...adds].sort((a, b) => (a.id < b.id ? -1 : 1));
  const stamp = now.toISOString();
  const users: string[] = [];
  const humans: string[] = [];
  const machines: string[] = [];
  const passwords: string[] = [];
  const metadata: string[] = [];
  const secrets: string[] = [];
  const recoveryCodes: string[] = [];
  const codeFactors: string[] = [];
  const passkeys: string[] = [];
  const identities: string[] = [];
  const names: string[] = [];
  for (const add of sorted) {
    const { id, orgId, is, password } = add;
    users.push(copyLine([id, orgId, is.type, add.userName, add.state, add.createdAt ?? stamp, stamp]));
    names.push(copyLine([orgId, 'user_name', add.canonicalUserName, id]));
    // never proven: imported addresses only count as verified, also from our own export
    if (add.canonicalEmail !== undefined) names.push(copyLine([orgId, 'email', add.canonicalEmail, id]));
    if (is.type === 'human') {
      const row = humanColumns(is);
      const waiting = copyLine([id, orgId, is.email.pending ?? null]);
      humans.push(`${waiting}\t${copyLine(HUMAN_NAMES.map((name) => row[name] ?? null))}`);
    } else {
      const secret = add.secretHash ?? null;
      const made = secret === null ? [null, null] : [madeBy ?? null, stamp];
      machines.push(
        copyLine([id, orgId, is.name, is.description ?? null, is.accessTokenType, secret, ...made]),
      );
    }
    if (password !== undefined) {
      const { hash, scheme, weak, changeRequired } = password;
      passwords.push(copyLine([id, orgId, hash, scheme, weak, changeRequired, madeBy ?? '', stamp]));
    }
    for (const { key, value } of add.metadata) metadata.push(copyLine([orgId, id, key, value, stamp, stamp]));
    if (add.totpSecret !== undefined) {
      const { sealed, dataKeyId } = sealer.seal(totpPlace(id), Buffer.from(add.totpSecret));
      secrets.push(copyLine([id, orgId, sealed, dataKeyId, stamp]));
    }
    for (const hash of recoveryCodeHashes(sealer, add)) {
      recoveryCodes.push(copyLine([id, orgId, hash, stamp]));
    }
    for (const kind of add.codeFactors ?? []) codeFactors.push(copyLine([id, orgId, kind, stamp]));
    for (const row of identityRows(add, now, madeBy)) {
      identities.push(copyLine(IDENTITIES.map((name) => row[name])));
    }
    for (const row of passkeyRows(add, now, madeBy)) {
      const bytes = (hex: string): string => `\\x${hex}`;
      const whole = {
        ...row,
        credential_id: bytes(row.credential_id),
        public_key: bytes(row.public_key),
        user_handle: bytes(row.user_handle),
        transports: `{${row.transports.join(',')}}`,
      };
      passkeys.push(copyLine(PASSKEYS.map((name) => whole[name])));
    }
  }
  return [
    { table: 'users', columns: USERS, lines: users },
    {
      table: 'user_humans',
      columns: ['user_id', 'org_id', 'pending_email', ...HUMAN_NAMES],
      lines: humans,
    },
    { table: 'service_users', columns: MACHINES, lines: machines },
    {
      table: 'login_identifiers',
      columns: ['org_id', 'kind', 'canonical', 'user_id'],
      lines: names.sort(),
    },
    { table: 'user_passwords', columns: PASSWORDS, lines: passwords },
    {
      table: 'user_metadata',
      columns: ['org_id', 'user_id', 'key', 'value', 'created_at', 'changed_at'],
      lines: metadata,
    },
    {
      table: 'user_totp_secrets',
      columns: ['user_id', 'org_id', 'secret_sealed', 'data_key_id', 'created_at'],
      lines: secrets,
    },
    {
      table: 'user_recovery_codes',
      columns: ['user_id', 'org_id', 'hash', 'created_at'],
      lines: recoveryCodes,
    },
    {
      table: 'user_code_factors',
      columns: ['user_id', 'org_id', 'kind', 'created_at'],
      lines: codeFactors,
    },
    // credentials are unique in the instance: in one order, as names are
    { table: 'passkeys', columns: PASSKEYS, lines: passkeys.sort() },
    // so are subjects of a provider
    { table: 'user_identities', columns: IDENTITIES, lines: identities.sort() },
  ];
}

/** The rows of a user's passkeys, with bytes in hexadecimal. */
export function passkeyRows(
  { id, orgId, passkeys = [] }: Pick<UserToAdd, 'id' | 'orgId' | 'passkeys'>,
  now: Date,
  madeBy: UserId | undefined,
) {
  return passkeys.map((passkey) => ({
    credential_id: passkey.credentialId.toString('hex'),
    user_id: id,
    org_id: orgId,
    public_key: passkey.publicKey.toString('hex'),
    user_handle: passkey.userHandle.toString('hex'),
    sign_count: passkey.signCount,
    transports: passkey.transports,
    name: passkey.name,
    passwordless: passkey.passwordless,
    backup_eligible: passkey.backupEligible,
    backed_up: passkey.backedUp,
    last_used_at: passkey.lastUsedAt ?? null,
    counter_went_back_at: passkey.counterWentBackAt ?? null,
    // the importer may hold the private key: the passkey ends if the user gets more rights than them, like one added by their link
    link_made_by: madeBy ?? '',
    imported_at: now,
    created_at: passkey.createdAt ?? now,
    changed_at: now,
  }));
}

/** Who brings one in may be whom the provider calls so: it ends with a promotion beyond them, as one that a manager adds does. */
export function identityRows(
  { id, orgId, identities = [] }: Pick<UserToAdd, 'id' | 'orgId' | 'identities'>,
  now: Date,
  madeBy: UserId | undefined,
) {
  return identities.map(({ providerId, subject, displayName }) => ({
    provider_id: providerId,
    subject,
    display_name: displayName,
    org_id: orgId,
    user_id: id,
    made_by: madeBy ?? '',
    created_at: now,
  }));
}

/** As they are kept, each once. */
export function recoveryCodeHashes(
  sealer: Sealer,
  {
    id,
    recoveryCodes = [],
  }: { readonly id: UserId; readonly recoveryCodes?: readonly RecordRecoveryCode[] | undefined },
): ReadonlySet<string> {
  return new Set(recoveryCodes.flatMap((code) => importedHash(sealer, id, code) ?? []));
}

/**
 * Messages that are queued, with the codes that they bring and what sends them. A code, or a former address,
 * leaves this function sealed only.
 *
 * @param outboxIds one for each message and notice
 */
export function messageTables(
  sealer: Sealer,
  messages: readonly MessageToEnqueue[],
  notices: readonly NoticeToEnqueue[],
  now: Date,
  outboxIds: readonly string[],
): CopyTable[] {
  const codes: string[] = [];
  const notifications: string[] = [];
  const outbox: string[] = [];
  const drawn = [...outboxIds];
  const draw = (): string => {
    const next = drawn.pop();
    if (next === undefined) throw new Error('too few ids were drawn');
    return next;
  };
  for (const message of messages) {
    const { orgId, userId, purpose, target } = message;
    const providerId = isSms(message) ? (message.providerId ?? null) : null;
    const makeCode = isSms(message) ? randomDigits : randomCode;
    const code = providerId === null ? makeCode() : undefined;
    const codeId = randomId();
    const id = randomId();
    const expiresAt = new Date(now.getTime() + CODE_LIFETIME_MS[purpose]);
    const mac = code === undefined ? null : macOfCode(sealer, { userId, purpose, target }, code);
    codes.push(copyLine([codeId, orgId, userId, purpose, target, mac, now, expiresAt, providerId]));
    const content = code === undefined ? undefined : sealer.seal(notificationPlace(id), Buffer.from(code));
    const outboxId = draw();
    notifications.push(
      copyLine([
        id,
        orgId,
        userId,
        isSms(message) ? 'sms' : 'email',
        purpose,
        codeId,
        outboxId,
        content?.sealed ?? null,
        content?.dataKeyId ?? null,
        'pending',
        expiresAt,
        now,
      ]),
    );
    outbox.push(sendLine(outboxId, id, now));
  }
  for (const notice of notices) {
    const { orgId, userId, template } = notice;
    const id = randomId();
    const outboxId = draw();
    const content =
      notice.template === 'email_changed'
        ? sealer.seal(notificationPlace(id), Buffer.from(notice.address))
        : undefined;
    const sealed = [content?.sealed ?? null, content?.dataKeyId ?? null] as const;
    notifications.push(
      copyLine([id, orgId, userId, 'email', template, null, outboxId, ...sealed, 'pending', null, now]),
    );
    outbox.push(sendLine(outboxId, id, now));
  }
  return [
    { table: 'verification_codes', columns: CODES, lines: codes },
    { table: 'notifications', columns: NOTIFICATIONS, lines: notifications },
    { table: 'outbox', columns: OUTBOX, lines: outbox },
  ];
}

function sendLine(outboxId: string, notificationId: string, now: Date): string {
  const payload = JSON.stringify({ notificationId });
  return copyLine([outboxId, 'notifications', SEND_NOTIFICATION, payload, 'bulk', now, now]);
}

export function eventTable(events: readonly AuditEvent[], now: Date): CopyTable {
  const stamp = now.toISOString();
  return {
    table: 'events',
    columns: EVENTS,
    lines: events.map((event) =>
      copyLine([
        stamp,
        event.orgId,
        event.aggregateType,
        event.aggregateId,
        event.sequence,
        event.type,
        event.actorId,
        `{${(event.fields ?? []).map((field) => `"${field.replace(/["\\]/g, '\\$&')}"`).join(',')}}`,
        JSON.stringify(event.data ?? {}),
      ]),
    ),
  };
}
