import type { ActiveMigration } from './user-migration.js';

export type WebhookMigration = Extract<ActiveMigration, { kind: 'webhook' }>;

/**
 * It did not answer, not in time, or not as agreed: an outage, or a fault of whoever runs it. The reason is for operators,
 * and names nobody.
 */
export class OldSystemFailed extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'OldSystemFailed';
  }
}

export interface OldCredentials {
  /** In canonical form (NFKC, case-folded): two spellings that are one name here are one name there, too. */
  readonly loginName: string;
  readonly password: string;
}

/** Asks an old system about somebody by its webhook, once. Answers within the migration's deadline. */
export abstract class OldSystem {
  /**
   * @returns what it says of the user, still to be read; undefined where it does not know the name, or not with that password
   * @throws OldSystemFailed
   */
  abstract ask(migration: WebhookMigration, credentials: OldCredentials): Promise<unknown>;
}
