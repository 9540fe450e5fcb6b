import type { IdentityProviderId, UserAgentId } from '../shared/ids.js';

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
}
