import type { OrganizationBranding } from '../organizations/organization-branding.js';
import type { AuthRequestId, OrgId, RegistrationId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/**
 * The registration module: people make accounts of their own. States: pending → finished | expired. While it is pending
 * there is no user, so that nobody can sit on somebody else's address with a password of their own; the user is made
 * when the code comes back in the browser that began it, which shows that password and mailbox are one person's. For an address that is known already the registration is an empty
 * one: it takes codes like any other, and none is right.
 */
export const REGISTRATION_CODE_MS = 10 * 60_000;
/** In all, further codes included. */
export const REGISTRATION_MS = 60 * 60_000;
export const RESEND_REGISTRATION_MS = 60_000;
/** Further codes for one registration. */
export const MOST_RESENDS = 2;
/** Registrations with one address that one source asks for, over all organizations, for which mails are sent. */
export const MOST_REGISTRATIONS_AN_HOUR = 3;
/** From all sources: a stranger at up to three of them leaves some to the owner of the address. */
export const MOST_REGISTRATIONS_OF_ADDRESS_AN_HOUR = 12;

export interface RegistrationCode {
  /** Names this code among those of the registration. */
  readonly id: string;
  readonly hash: Buffer;
}

export interface NewRegistration {
  readonly id: RegistrationId;
  readonly orgId: OrgId;
  /** The sign-in that it began in. */
  readonly flowId: AuthRequestId;
  readonly email: string;
  readonly emailCanonical: string;
  /**
   * As typed, or the address where none was asked for; without the domain that the organization's login names end with
   * it is the user name.
   */
  readonly loginName: string;
  readonly userName: string;
  /** BCP 47 tag of the page. */
  readonly locale: string;
  /** Of somebody who signed in elsewhere and chooses no password. */
  readonly external: boolean;
  /** Stands for where it was asked from. */
  readonly source: Buffer;
  /** Undefined for an empty registration. */
  readonly secrets: { readonly passwordHash: string; readonly code: RegistrationCode } | undefined;
}

/** What the page of a registration shows. */
export interface PendingRegistration {
  readonly id: RegistrationId;
  readonly orgId: OrgId;
  readonly organization: OrganizationBranding;
  readonly flowId: AuthRequestId | undefined;
  readonly email: string;
  /** Of somebody who signed in elsewhere. */
  readonly external: boolean;
  /** Its code can still be typed in. */
  readonly live: boolean;
  /** 0 or less: at once. */
  readonly resendInSeconds: number;
}

/** What was typed into the form, save the password. */
export interface RegisteredNames {
  readonly orgId: OrgId;
  readonly email: string;
  readonly loginName: string;
}

export interface EndedRegistration extends RegisteredNames {
  readonly locale: string;
  /** Of somebody who signed in elsewhere: the hash is none. */
  readonly external: boolean;
  readonly passwordHash: string;
}

/** Whose names these are already. */
export interface KnownNames {
  readonly byUserName: UserId | undefined;
  /** Who has verified the address, else who has both the user name and the address. */
  readonly byEmail: UserId | undefined;
}

export interface RegistrationOrganization {
  readonly organization: OrganizationBranding;
  /** Ends every login name. */
  readonly primaryDomain: string | undefined;
}

/** Registrations from the form to the code, and whose the names are that the form asks for. */
export abstract class RegistrationsStore {
  /** Undefined when there is no such active organization. */
  abstract findOrganization(orgId: OrgId): Promise<RegistrationOrganization | undefined>;

  abstract findKnown(orgId: OrgId, userName: string, emailCanonical: string): Promise<KnownNames>;

  /**
   * Adds it, without secrets when its address had its registrations of the hour already, from its source or from all. Those of one address wait for
   * each other until their transactions end, so that any number at once gets no more.
   *
   * @returns when its code expires; undefined when no mail may go out for it
   */
  abstract add(tx: Tx, registration: NewRegistration): Promise<Date | undefined>;

  abstract find(id: string): Promise<PendingRegistration | undefined>;

  /**
   * Counts one try; undefined when there is none left, or the registration is unknown, expired or finished. One
   * conditional statement of its own. The hash is undefined for an empty registration.
   */
  abstract takeAttempt(
    id: string,
  ): Promise<{ readonly names: RegisteredNames; readonly codeHash: Buffer | undefined } | undefined>;

  /**
   * Gives a pending registration another code with tries of its own. One conditional statement.
   *
   * @returns undefined when it is too soon or too often; `expiresAt` is undefined for an empty registration
   */
  abstract renew(
    tx: Tx,
    id: string,
    code: RegistrationCode,
  ): Promise<{ readonly orgId: OrgId; readonly expiresAt: Date | undefined } | undefined>;

  /** What the code of a registration is bound to; undefined when it is unknown. */
  abstract findEmail(id: string): Promise<string | undefined>;

  /** Finishes it and gives what the user is made of; undefined when it had ended, expired, or is an empty one. */
  abstract end(tx: Tx, id: string): Promise<EndedRegistration | undefined>;
}
