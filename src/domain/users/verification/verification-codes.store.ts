import type { OrganizationBranding } from '../../organizations/organization-branding.js';
import type { AuthRequestId, OrgId, ProviderId, UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import type { CodeSubject, FactorCodePurpose, SmsPurpose, VerificationPurpose } from './verification-code.js';

export interface NewVerificationCode extends CodeSubject {
  /** Random; stands in the message's link and proves nothing by itself. */
  readonly id: string;
  readonly orgId: OrgId;
  /** Undefined for a code that a provider makes. */
  readonly codeHash: Buffer | undefined;
  /** Who makes and checks it, if not we. */
  readonly providerId?: ProviderId | undefined;
  readonly lifetimeMs: number;
  /** The sign-in that it was asked for in. */
  readonly flowId?: AuthRequestId | undefined;
  /** Where it was asked for by somebody who has not shown who they are, as `digestOfSource` says it. */
  readonly source?: Buffer | undefined;
  /** False for one that was not sent to the target (`HandOutLink`). Default true. */
  readonly provesAddress?: boolean;
  /** The manager who was given it to pass on, and is responsible for the credential made with it; empty if nobody is. */
  readonly madeBy?: UserId | '';
}

/** A code whose next try was just counted. */
export interface CodeToEvaluate extends CodeSubject {
  readonly id: string;
  readonly orgId: OrgId;
  /** Undefined for a code that a provider makes; that one is asked. */
  readonly codeHash: Buffer | undefined;
  readonly providerId?: ProviderId;
  readonly flowId?: AuthRequestId;
  /** Whether it was sent to the target, so that who has it has shown that the target is theirs. */
  readonly provesAddress: boolean;
  /** As in `NewVerificationCode`. */
  readonly madeBy?: UserId | '';
  readonly attemptsLeft: number;
}

/** Between two messages that anybody can have sent to a user. */
export const RESEND_COOLDOWN_MS = 60_000;
/** Of such messages, asked for by one source, or by those who have shown who they are. */
export const MOST_CODES_AN_HOUR = 5;
/** From all sources of one line, so that whoever has one of IPv6 leaves some to the owner. */
export const MOST_CODES_OF_LINE_AN_HOUR = 10;
/**
 * From all sources: a stranger at up to three of them, or on one line, leaves some to the owner. More would let strangers fill a mailbox,
 * and give guesses more codes to be tried on.
 */
export const MOST_CODES_OF_ALL_AN_HOUR = 20;

/** What a link is about, for the page that it opens. */
export interface VerificationLink {
  readonly purpose: VerificationPurpose;
  /** `ended`: used, replaced by a newer message, meant for a former address, or the user is locked or deactivated. */
  readonly state: 'live' | 'expired' | 'burned' | 'ended';
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly organization: OrganizationBranding;
  readonly loginName: string;
  readonly displayName: string;
  /** Where the code went; pages show it masked. */
  readonly target: string;
}

/** The newest code, sent to where the user is reached now or wants to be, neither used nor expired. */
export interface LiveCode {
  readonly id: string;
  readonly target: string;
  readonly ageSeconds: number;
  /** False after too many tries. */
  readonly usable: boolean;
  /** The sign-in that it was asked for in. */
  readonly flowId?: AuthRequestId;
}

/** Codes and links that were sent to users: the newest of each purpose, and the tries that are left for it. */
export abstract class VerificationCodesStore {
  /**
   * Ends the live code of the same user and purpose, if any, and adds this one, in one statement.
   * @returns when it expires, by the database's clock
   */
  abstract replace(tx: Tx, code: NewVerificationCode): Promise<Date>;

  /**
   * The same, unless a code for this user, purpose and target is younger than the cooldown, or the limit of an hour is reached for this
   * source, its line or all: then nothing changes, and the result is undefined. Codes that strangers requested do not count against
   * one without a source.
   * One statement; of any number at once, one adds its code.
   */
  abstract replaceUnlessRecent(tx: Tx, code: NewVerificationCode): Promise<Date | undefined>;

  abstract findLive(
    userId: UserId,
    purpose: 'verify_email' | SmsPurpose | FactorCodePurpose,
  ): Promise<LiveCode | undefined>;

  /** How long ago the newest code was made, whether it is still good or not: by that `replaceUnlessRecent` goes. */
  abstract newestAge(userId: UserId, purpose: FactorCodePurpose, target: string): Promise<number | undefined>;

  abstract findLink(id: string): Promise<VerificationLink | undefined>;

  /**
   * Counts one try and gives what to compare with; undefined when the code is unknown, of another purpose, ended,
   * expired, or has had its tries. One conditional statement of its own, so that of any number of parallel tries
   * only as many as are left ever see the hash.
   */
  abstract takeAttempt(id: string, purpose: VerificationPurpose): Promise<CodeToEvaluate | undefined>;

  /**
   * The same for the live code of a user, for somebody who has no link and types what the message says. Anybody who
   * knows a name can try, so this takes no more than three of the tries: the rest are for whoever has the link.
   */
  abstract takeAttemptOf(userId: UserId, purpose: VerificationPurpose): Promise<CodeToEvaluate | undefined>;

  /** The same with all of the tries, for users whom a token has authenticated. */
  abstract takeOwnAttempt(userId: UserId, purpose: VerificationPurpose): Promise<CodeToEvaluate | undefined>;

  /** The same for a second factor: the code must be of the sign-in, or the session, that it is shown in. */
  abstract takeFactorAttempt(
    userId: UserId,
    purpose: FactorCodePurpose,
    flowId: AuthRequestId,
  ): Promise<CodeToEvaluate | undefined>;

  /** Takes back that a try was counted, of a code that turned out to be right and is not used up yet, or was not looked at. */
  abstract giveBackAttempt(id: string): Promise<void>;

  /** Uses the code up. False when it had ended or expired meanwhile: then nothing may come of it. */
  abstract end(tx: Tx, id: string): Promise<boolean>;

  /** Ends whatever live code of that purpose the user has. */
  abstract endLive(tx: Tx, userId: UserId, purpose: VerificationPurpose): Promise<void>;
}
