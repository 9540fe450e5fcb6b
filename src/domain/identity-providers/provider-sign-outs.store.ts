import type { IdentityProviderId, UserAgentId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

interface SignOutPlace {
  readonly providerId: IdentityProviderId;
  readonly userAgentId: UserAgentId;
}

/** How long somebody may take to sign out at a provider and come back. */
export const PROVIDER_SIGN_OUT_SECONDS = 900;

/** Browsers that are at a provider to sign out there. */
export abstract class ProviderSignOutsStore {
  /** @param target where an application wants the browser afterwards, checked; undefined for a page of ours */
  abstract add(stateHash: Buffer, place: SignOutPlace, target: string | undefined): Promise<void>;

  /** Gives it once, to the browser that was sent there. One statement, which removes it. */
  abstract take(
    stateHash: Buffer,
    place: SignOutPlace,
  ): Promise<{ readonly target: string | undefined } | undefined>;

  /**
   * Uses a request to sign out up, for all replicas; false for one that was here before.
   * @param hash of the provider and the id of its request, which is refused by its age long before it is forgotten
   */
  abstract useRequest(tx: Tx, hash: Buffer): Promise<boolean>;
}
