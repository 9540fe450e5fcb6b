import { Injectable } from '@nestjs/common';
import { isUnknownHere, type BrowserApplication } from '../../applications/application.js';
import { ConsentsStore } from '../../consents/consents.store.js';
import { ManageConsents } from '../../consents/manage-consents.js';
import { isMoreThan, type ManagementAccess } from '../../permissions/management-access.js';
import type { Session } from '../../sessions/session.js';
import type { Tx } from '../../shared/unit-of-work.js';
import type { Requested } from '../../tokens/audience/requested-audience.js';
import type { AuthorizationRequest } from '../auth-request.js';
import { AdmitUser, type RequiredOrganization } from './admit-user.js';

/** A request with all that its answer needs beside a session. */
export interface PreparedAnswer {
  readonly request: AuthorizationRequest;
  readonly application: BrowserApplication;
  readonly requested: Requested;
  readonly organization: RequiredOrganization | undefined;
}

/** What the user has to agree to before a request is answered, and what they have agreed to. */
@Injectable()
export class AskConsent {
  constructor(
    private readonly admitUser: AdmitUser,
    private readonly consents: ConsentsStore,
    private readonly manageConsents: ManageConsents,
  ) {}

  /**
   * Whether the user has to consent first, before anything is written: the application asks for the service's own
   * audience, is not the service's own, and they have not consented to its current access; or it is unvetted, and they have
   * not consented to these scopes. With `prompt=consent` an earlier consent of either kind does not count. For a device they are
   * asked each time: somebody else may have sent them the code (RFC 8628 §5.4).
   *
   * @param tx locks the consent until it ends, so that the consent cannot be withdrawn before the answer
   * @param agreed what they have just consented to
   */
  async needed(
    tx: Tx,
    { request, requested, application, organization }: PreparedAnswer,
    session: Session,
    agreed?: ManagementAccess,
  ): Promise<ManagementAccess | undefined> {
    if ('refusal' in requested) return undefined;
    const isDevice = request.deviceAuthorizationId !== undefined;
    const { api } = requested;
    // nobody need agree to an application of the service's own, but on a device, which may be somebody else's
    const access = api === undefined || (api.firstParty && !isDevice) ? 'none' : api.access;
    const isUnknown = isUnknownHere(application);
    if (access === 'none' && !isDevice && !isUnknown) return undefined;
    // nobody is asked to agree to what they will not get
    if ((await this.admitUser.refusal(tx, application, organization, session)) !== undefined)
      return undefined;
    if (isDevice && agreed === undefined) return access;
    const asksAgain = agreed === undefined && request.prompts.includes('consent');
    const given =
      agreed ?? (asksAgain ? 'none' : await this.consents.lockForUpdate(tx, session.userId, application.id));
    if (isMoreThan(access, given)) return access;
    if (!isUnknown || agreed !== undefined) return undefined;
    const { id } = application;
    const isAgreed = !asksAgain && (await this.consents.lockSignIn(tx, session.userId, id, request.scopes));
    return isAgreed ? undefined : access;
  }

  /**
   * Puts on file what the user has just agreed to, where it is anything.
   * @returns false when their session has ended meanwhile
   */
  async give(
    tx: Tx,
    { request, requested, application }: PreparedAnswer,
    { orgId, userId }: Session,
  ): Promise<boolean> {
    if ('refusal' in requested) return true;
    const { api } = requested;
    const isUnknown = isUnknownHere(application);
    if (!isUnknown && (api === undefined || api.firstParty)) return true;
    const place = { orgId, userId, applicationId: application.id };
    const scopes = isUnknown ? request.scopes : [];
    return await this.manageConsents.give(tx, place, api?.access ?? 'none', scopes);
  }
}
