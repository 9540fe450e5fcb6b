import { Injectable } from '@nestjs/common';
import type { AuthRequestId, OrgId, UserId } from '../shared/ids.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import type { User } from '../users/user.js';
import { UsersStore } from '../users/users.store.js';
import {
  EnqueueVerification,
  type VerificationToEnqueue,
} from '../users/verification/enqueue-verification.js';

/** For the log alone. */
type ResetCodeOutcome = { readonly userId: UserId | undefined } & (
  | { readonly purpose: VerificationToEnqueue['purpose'] }
  | { readonly nothingSent: 'unknown name' | 'user not active' | 'too soon' }
);

/**
 * Sends whoever forgot a password the code to set one, or the initialisation mail again where they have none yet. The address need not
 * be verified: the code proves it.
 */
@Injectable()
export class SendResetCode {
  constructor(
    private readonly users: UsersStore,
    private readonly enqueueVerification: EnqueueVerification,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * @param named undefined for a name that means nobody
   * @param askedFrom the address of the request
   */
  async execute(
    named: { readonly orgId: OrgId; readonly userId: UserId } | undefined,
    flowId: AuthRequestId | undefined,
    askedFrom: string,
  ): Promise<ResetCodeOutcome> {
    const user = named && (await this.users.find(named.orgId, named.userId));
    if (user === undefined) return { userId: undefined, nothingSent: 'unknown name' };
    const userId = user.id;
    const verification = verificationFor(user, flowId);
    if (verification === undefined) return { userId, nothingSent: 'user not active' };
    const sent = await this.unitOfWork.run((tx) =>
      this.enqueueVerification.executeUnlessRecent(tx, { ...verification, askedFrom }),
    );
    return sent ? { userId, purpose: verification.purpose } : { userId, nothingSent: 'too soon' };
  }
}

/** The message for such a user; none for service users, and for locked or deactivated ones (security S046). */
function verificationFor(user: User, flowId: AuthRequestId | undefined): VerificationToEnqueue | undefined {
  if (user.type !== 'human' || user.email.address === '') return undefined;
  const { id: userId, orgId, state } = user;
  const target = user.email.address;
  switch (state) {
    case 'active':
      return { orgId, userId, purpose: 'reset_password', target, flowId };
    case 'initial':
      return { orgId, userId, purpose: 'initialise', target };
    case 'inactive':
    case 'locked':
      return undefined;
  }
}
