import { Injectable } from '@nestjs/common';
import { AddIdentity } from '../../identity-providers/identities/add-identity.js';
import { MakePasskeyLink, type PasskeyLink } from '../../passkeys/links/make-passkey-link.js';
import { RequireRank } from '../../permissions/require-rank.js';
import type { Tx } from '../../shared/unit-of-work.js';
import type { CreatedUser } from '../../users/users.store.js';
import { AddPreparedHuman } from './add-prepared-human.js';
import { PrepareHuman, type HumanToImport, type ImportHuman, type PreparedHuman } from './prepare-human.js';

export interface ImportedHumanUser extends CreatedUser {
  /** Present where it was asked for. */
  readonly passkeyLink?: PasskeyLink;
}

/**
 * Imports one human. `prepare` decides and hashes without a transaction; `store` writes the user, the message that
 * is due and the event in one. A bulk chunk prepares its records the same way and stores them together.
 */
@Injectable()
export class ImportHumanUser {
  constructor(
    private readonly prepareHuman: PrepareHuman,
    private readonly addHuman: AddPreparedHuman,
    private readonly addIdentity: AddIdentity,
    private readonly makePasskeyLink: MakePasskeyLink,
    private readonly rank: RequireRank,
  ) {}

  /** @throws ApiError invalid-argument for a reserved domain, a weak password or a scheme switched off; HashingOverloaded */
  async prepare(human: ImportHuman): Promise<PreparedHuman> {
    return await this.prepareHuman.execute(human);
  }

  /** Somebody who signs in for the first time, with a password that is hashed already. @throws as `prepare` */
  async prepareMigrated(human: HumanToImport): Promise<PreparedHuman> {
    return await this.prepareHuman.migrated(human);
  }

  /** @throws ApiError already-exists, also for an identity that is somebody's; not-found for one of an unknown provider */
  async store(tx: Tx, prepared: PreparedHuman): Promise<ImportedHumanUser> {
    const { acting, how, human, identities, asksForPasskeyLink } = prepared;
    // the old system has checked a migrated one, and its organization has a say over that
    const madeBy =
      how === 'migrated' ? 'organization' : ((await this.rank.answersFor(tx, acting)) ?? 'nobody');
    const { id, details: added } = await this.addHuman.execute(tx, prepared, madeBy);
    const change = { orgId: human.orgId, userId: id, ...acting };
    let details = added;
    for (const identity of identities) ({ details } = await this.addIdentity.execute(tx, change, identity));
    if (!asksForPasskeyLink) return { id, details };
    const passkeyLink = await this.makePasskeyLink.execute(tx, change);
    return { id, details: passkeyLink.details, passkeyLink };
  }
}
