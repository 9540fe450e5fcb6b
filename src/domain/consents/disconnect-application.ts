import { Injectable } from '@nestjs/common';
import { AuthorizationsStore, type AuthorizationOwner } from '../authorizations/authorizations.store.js';
import type { ApplicationId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { ManageConsents } from './manage-consents.js';

/** Takes from an application all that it holds of a user: consent, codes, access and refresh tokens, for whatever APIs. */
@Injectable()
export class DisconnectApplication {
  constructor(
    private readonly manageConsents: ManageConsents,
    private readonly authorizations: AuthorizationsStore,
  ) {}

  /** Dead on every replica with the commit. Of an application that holds nothing there is nothing to end. */
  async execute(tx: Tx, user: AuthorizationOwner, applicationId: ApplicationId): Promise<void> {
    await this.manageConsents.withdrawGiven(tx, user, applicationId);
    await this.authorizations.revokeHeld(tx, user, applicationId, 'disconnected_by_user');
  }
}
