import type { ExternalIdentity } from '../identity-providers/provider-client.js';
import type { AuthRequestId, IdentityProviderId, OrgId, SessionId, UserAgentId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/**
 * What continues after the return: a sign-in, linking an identity to the user of a session, or the proof that it is still
 * they who use that session. The last links nothing, whichever identity is returned.
 */
export type ExternalPurpose =
  | {
      readonly flowId: AuthRequestId;
      /** Whose domain the typed address has, where it led to the provider: a newcomer becomes a user there. */
      readonly realmOrgId?: OrgId | undefined;
    }
  | { readonly linkSessionId: SessionId }
  | { readonly confirmSessionId: SessionId };

/** The session that a purpose is about, where it is about one. */
export function sessionOf(purpose: ExternalPurpose): SessionId | undefined {
  if ('linkSessionId' in purpose) return purpose.linkSessionId;
  return 'confirmSessionId' in purpose ? purpose.confirmSessionId : undefined;
}

export interface ExternalSignIn {
  readonly purpose: ExternalPurpose;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly maxAge: number | undefined;
}

/** What a provider posted by way of the browser, checked, until that browser comes for it. */
export interface KeptAnswer {
  readonly identity: ExternalIdentity;
  /** Of what the browser is sent on with. */
  readonly handleHash: Buffer;
}

export type TakenSignIn = ExternalSignIn & {
  readonly answer: KeptAnswer | undefined;
  /** In seconds of the database's clock since 1970: whatever the provider answers, it says so since. */
  readonly begunAt: number;
};

/** How long somebody may take at a provider, be it to sign in or to sign out there. */
export const PROVIDER_REQUEST_SECONDS = 900;
/** So many answers to one sign-in are looked at. A provider sends one; a browser that is reloaded sends it again. */
export const MOST_ANSWERS = 10;

/** Which browser is asked for, and where it was sent. */
export interface RequestPlace {
  readonly providerId: IdentityProviderId;
  readonly userAgentId: UserAgentId;
}

/**
 * What this service has asked of identity providers by way of a browser that is not back yet: to sign somebody in, or out. Each
 * is found by the hash of its state, which the browser carries.
 */
export abstract class ProviderRequestsStore {
  abstract addSignIn(stateHash: Buffer, place: RequestPlace, signIn: ExternalSignIn): Promise<void>;

  /** As it is, for the browser that began it; `takeSignIn` ends it. */
  abstract findSignIn(stateHash: Buffer, place: RequestPlace): Promise<ExternalSignIn | undefined>;

  /**
   * Gives it once: to the browser that began it, in an answer at the address of the provider that it was sent to. One
   * statement, which removes it.
   */
  abstract takeSignIn(stateHash: Buffer, place: RequestPlace): Promise<TakenSignIn | undefined>;

  /**
   * A sign-in that has no answer yet, without a check of the browser: a form that another site posts comes without our cookie. Each
   * answer is counted before it is read, in one statement, so that nobody who knows a state can make this service check more than a
   * few.
   */
  abstract admitAnswer(
    stateHash: Buffer,
    providerId: IdentityProviderId,
  ): Promise<Pick<ExternalSignIn, 'nonce' | 'maxAge'> | undefined>;

  /**
   * Keeps the first answer to a sign-in, and each assertion once, for all replicas. One statement.
   * @param assertionHash of the provider and the id of its assertion
   */
  abstract keepAnswer(
    stateHash: Buffer,
    providerId: IdentityProviderId,
    answer: KeptAnswer,
    assertionHash: Buffer,
  ): Promise<boolean>;

  /** @param target where an application wants the browser afterwards, checked; undefined for a page of ours */
  abstract addSignOut(stateHash: Buffer, place: RequestPlace, target: string | undefined): Promise<void>;

  /** Gives it once, to the browser that was sent there. One statement, which removes it. */
  abstract takeSignOut(
    stateHash: Buffer,
    place: RequestPlace,
  ): Promise<{ readonly target: string | undefined } | undefined>;

  /**
   * Uses up what a provider asks: to sign somebody out here. For all replicas; false for one that was here before.
   * @param hash of the provider and the id of its request, which is refused by its age long before it is forgotten
   */
  abstract useLogoutRequest(tx: Tx, hash: Buffer): Promise<boolean>;
}
