import { Injectable } from '@nestjs/common';
import type { Flow } from '../../authorize/flow/find-flow.js';
import type { ApiError } from '../../shared/errors.js';
import { AskForUserName } from '../ask-for-user-name.js';
import { isNamedByAddress, type RegistrationProblem } from '../read-registration.js';
import { RegistrationNames } from '../registration-names.js';
import type { RegisteredNames } from '../registrations.store.js';
import { withTyped } from './add-user-of-provider.js';

export type TakenName =
  /** Somebody here has the user name that a provider gives them: another one is asked for. */
  | { readonly kind: 'name-taken' }
  /** The name was taken meanwhile. This may be said, because the mailbox is verified. */
  | { readonly kind: 'taken'; readonly problem: RegistrationProblem; readonly names: RegisteredNames };

/** Says which name somebody else has by now, when the user of a registration could not be added for one. */
@Injectable()
export class ExplainTakenName {
  constructor(
    private readonly names: RegistrationNames,
    private readonly askForUserName: AskForUserName,
  ) {}

  /** @throws the error when it is none of a name */
  async execute(id: string, flow: Flow, names: RegisteredNames, error: ApiError): Promise<TakenName> {
    if (await this.asksForName(id, flow, names.email, error)) return { kind: 'name-taken' };
    return { kind: 'taken', problem: await this.problemOf(error, names), names };
  }

  /** The address is verified by now, so that no other code is asked for. */
  private async asksForName(
    id: string,
    { id: flowId, pendingIdentity: pending }: Flow,
    email: string,
    error: ApiError,
  ): Promise<boolean> {
    if (error.kind !== 'already-exists' || pending?.registrationId !== id) return false;
    const { keptAt: _, userId: _account, registrationId: _id, typed: _typed, ...newcomer } = pending;
    const mapped = withTyped(pending);
    return await this.askForUserName.execute(flowId, { ...newcomer, mapped, isOwnerVerified: true, email });
  }

  private async problemOf(error: ApiError, names: RegisteredNames): Promise<RegistrationProblem> {
    if (error.kind !== 'already-exists' && error.kind !== 'invalid-argument') throw error;
    if (isNamedByAddress(names)) return 'email-not-available';
    if (error.kind === 'invalid-argument') return 'login-name-not-available';
    const found = await this.names.find(names.orgId, names);
    const isNameFree = found !== undefined && found.known.byUserName === undefined;
    return isNameFree ? 'email-not-available' : 'login-name-not-available';
  }
}
