import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, PasskeyId, UserId } from '../shared/ids.js';

/** The service as a relying party (WebAuthn Level 3); also the token under which configuration provides it. */
export abstract class PasskeySettings {
  /** Host of the service's public address: passkeys are made for it, and work nowhere else. */
  abstract readonly rpId: string;
  /** Origin of the service's own pages, the only one where a passkey is made or shown. */
  abstract readonly origin: string;
}

/** A passkey as its user and an administrator see it: nothing of it can be used. */
export interface Passkey {
  readonly id: PasskeyId;
  readonly name: string;
  /** Kept by the authenticator itself, so that it is found without a name, and verifies its user. */
  readonly passwordless: boolean;
  /** Made to be copied to other devices of its user. */
  readonly backupEligible: boolean;
  /** Copied, as its authenticator said when it was last used. */
  readonly backedUp: boolean;
  readonly lastUsedAt?: Date;
  /** When its counter first went back: there may be a copy of it. */
  readonly counterWentBackAt?: Date;
  readonly details: ResourceDetails;
}

/** What an assertion is held against. */
export interface PasskeyCredential {
  readonly id: PasskeyId;
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly credentialId: Buffer;
  /** COSE_Key, as the authenticator gave it. */
  readonly publicKey: Buffer;
  readonly userHandle: Buffer;
  readonly signCount: number;
  readonly transports: readonly string[];
  /** Its counter went back once: there may be a copy of it. */
  readonly maybeCopied: boolean;
}

/** What a ceremony found out about a credential, to be kept. */
export interface VerifiedCredential {
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly signCount: number;
  readonly transports: readonly string[];
  readonly passwordless: boolean;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
}

export interface NewPasskey extends VerifiedCredential {
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly userHandle: Buffer;
  readonly name: string;
  /** Who handed out the link that it was added by, or imported it; empty where nobody answers for that, null without a link. */
  readonly linkMadeBy: UserId | '' | null;
}

export const LONGEST_PASSKEY_NAME = 100;
