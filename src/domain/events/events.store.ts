import type { Tx } from '../shared/unit-of-work.js';

/**
 * The audit log: who did what to which object. Names of changed personal fields, never their values; no secret.
 */
export interface AuditEvent {
  readonly orgId: string | null;
  readonly aggregateType:
    | 'organization'
    | 'user'
    | 'project'
    | 'project_role'
    | 'project_grant'
    | 'user_grant'
    | 'membership'
    | 'organization_domain'
    | 'application'
    | 'application_key'
    | 'session'
    | 'grant'
    | 'consent'
    | 'signing_key'
    | 'token_key'
    | 'key_schedule'
    | 'notification'
    | 'notification_provider'
    | 'notification_provider_health'
    | 'message_template'
    | 'branding_policy'
    | 'login_policy'
    | 'password_policy'
    | 'lockout_policy'
    | 'token_policy'
    | 'logout_notice'
    | 'machine_key'
    | 'personal_access_token'
    | 'import'
    | 'sms_limit'
    | 'sms_prefix'
    | 'client_guesses'
    | 'queue'
    | 'instance';
  readonly aggregateId: string;
  /** The object's own number of changes after this one. */
  readonly sequence: string | number;
  /** past tense, dotted: `user.human.imported` */
  readonly type: string;
  readonly actorId: string | null;
  /** Names of the fields that changed. */
  readonly fields?: readonly string[];
  /** Ids, states and counts worth keeping. */
  readonly data?: Readonly<Record<string, string | number | boolean | null | undefined>>;
}

export abstract class EventsStore {
  /** Appends in the transaction of the change, in the given order, with one statement. */
  abstract append(tx: Tx, ...events: readonly AuditEvent[]): Promise<void>;
}
