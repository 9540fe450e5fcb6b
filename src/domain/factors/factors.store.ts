import type { CodeFactorKind, FactorKind } from '../policies/factor-policy.js';
import type { OrgId, SessionId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { RecordRecoveryCode } from './recovery-codes/recovery-code-hash.js';
import type { TotpSeed } from './totp/totp-seed.js';

export interface StoredTotp {
  readonly seed: TotpSeed;
  /** Of this seed alone: a code of one that was replaced meanwhile is worth nothing. */
  readonly mark: Buffer;
}

/** Who adds an authenticator app to their own account, and in which session. */
export interface EnrollingUser {
  readonly orgId: OrgId;
  readonly userId: UserId;
  /** The session that says who they are; what is begun in one is finished there. */
  readonly session: string;
}

/** What somebody can show besides a password. */
export interface UsableFactors {
  readonly totp: boolean;
  readonly passkeys: number;
  /** Codes are sent to their verified e-mail address. */
  readonly email: boolean;
  /** Codes are sent to their verified phone number. */
  readonly sms: boolean;
  /** A code sent by e-mail set their password a short while ago. */
  readonly passwordResetByEmail: boolean;
  /** How many are left. They stand in for a factor, and are none by themselves. */
  readonly recoveryCodes: number;
  /** Second factors are asked for at all. */
  readonly offered: boolean;
  /** What the policy lists, strongest first: a factor of any other kind is neither asked for nor counted. */
  readonly kinds: readonly FactorKind[];
  /** For how long a browser may be spared them; 0 for never. */
  readonly trustedBrowserDays: number;
}

/** An imported second factor, which stays valid here. */
export interface ImportedFactors {
  /** As `writeTotpSeed` writes it. */
  readonly totpSecret?: string;
  readonly recoveryCodes: readonly RecordRecoveryCode[];
  /** Where codes are sent to; each counts while the address is verified. */
  readonly codeFactors: readonly CodeFactorKind[];
}

/** A factor of a kind of which somebody has one at most, and since when. */
export interface AddedFactor {
  readonly kind: Exclude<FactorKind, 'passkey'>;
  readonly createdAt: Date;
}

/** For how long whoever reads somebody's e-mail, and set a password by that, cannot show it as a second factor as well. */
export const HOURS_AFTER_RESET = 24;

/** What a page may ask for. */
export type AskedKind = FactorKind | 'recovery-code';

/** The factors of somebody that count, strongest first. Whoever has one must show one. */
export function heldKinds({ totp, passkeys, email, sms, kinds }: UsableFactors): readonly FactorKind[] {
  const held: Readonly<Record<FactorKind, boolean>> = { totp, passkey: passkeys > 0, email, sms };
  return kinds.filter((kind) => held[kind]);
}

/** Whether a sign-in asks them for one of them, in a browser that they do not trust. */
export function isAskedForFactor(usable: UsableFactors): boolean {
  return usable.offered && heldKinds(usable).length > 0;
}

/**
 * What somebody may show as their second factor now, strongest first; nothing where they have none that counts. The channel
 * that has just reset the password is not among it.
 */
export function askedKinds(usable: UsableFactors): readonly AskedKind[] {
  const held = heldKinds(usable);
  const asked = held.filter((kind) => kind !== 'email' || !usable.passwordResetByEmail);
  return held.length > 0 && usable.recoveryCodes > 0 ? [...asked, 'recovery-code'] : asked;
}

/** Second factors of users: authenticator apps, codes by mail and SMS, recovery codes, and who must have one; passkeys apart. */
export abstract class FactorsStore {
  abstract findUsable(userId: UserId): Promise<UsableFactors>;

  /** Whatever was added, whether or not it counts; passkeys apart, which have a store of their own. The oldest first. */
  abstract listAdded(orgId: OrgId, userId: UserId): Promise<readonly AddedFactor[]>;

  /** Codes are sent from now on. False where they were before. */
  abstract addCodeFactor(tx: Tx, orgId: OrgId, userId: UserId, kind: CodeFactorKind): Promise<boolean>;

  /** False where none were sent. */
  abstract removeCodeFactor(tx: Tx, orgId: OrgId, userId: UserId, kind: CodeFactorKind): Promise<boolean>;

  /** Whatever kinds there are, passkeys among them. False where there was nothing to remove. */
  abstract removeAll(tx: Tx, orgId: OrgId, userId: UserId): Promise<boolean>;

  abstract findTotp(userId: UserId): Promise<StoredTotp | undefined>;

  /**
   * Uses up a time step, by one conditional statement: false where a code of it or of a later one was used before, or the
   * seed is another one by now.
   */
  abstract takeTotpStep(tx: Tx, userId: UserId, mark: Buffer, step: number): Promise<boolean>;

  /** An authenticator app is being added, in place of one that was begun before. Its codes are not asked for yet. */
  abstract beginTotp(who: EnrollingUser, seed: TotpSeed, seconds: number): Promise<void>;

  /** What was begun in this session, until it expires. */
  abstract findBegunTotp(who: EnrollingUser): Promise<StoredTotp | undefined>;

  /**
   * From the commit on codes of the seed are asked for, those after `step`; the former one is gone. One statement takes
   * what was begun and stores the seed: undefined, and nothing written, where it was finished, replaced or has expired.
   *
   * @returns whether another app was replaced
   */
  abstract finishTotp(
    tx: Tx,
    who: EnrollingUser,
    begun: StoredTotp,
    step: number,
  ): Promise<'added' | 'replaced' | undefined>;

  /** The app in use, and one that is being added. False where there was nothing to remove. */
  abstract removeTotp(tx: Tx, orgId: OrgId, userId: UserId): Promise<boolean>;

  /**
   * Puts these in place of all that the user had, used ones among them, by one statement: false, and nothing changed, for
   * somebody who has no factor that they could stand in for.
   */
  abstract replaceRecoveryCodes(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    hashes: readonly string[],
  ): Promise<boolean>;

  /** Of a user who was made in the same transaction. */
  abstract addImported(
    tx: Tx,
    who: { readonly orgId: OrgId; readonly userId: UserId },
    factors: ImportedFactors,
  ): Promise<void>;

  /** Forgets the codes of somebody who has no factor any more that they could stand in for. */
  abstract dropIdleRecoveryCodes(tx: Tx, userId: UserId): Promise<void>;

  /** Hashes of the codes that are left. */
  abstract recoveryCodesOf(userId: UserId): Promise<readonly string[]>;

  /**
   * Uses one up, by one conditional statement: undefined where it was used or replaced before.
   * @returns how many are left
   */
  abstract takeRecoveryCode(tx: Tx, userId: UserId, hash: string): Promise<number | undefined>;

  /**
   * Notes that one is offered, the first time, to somebody who must have a second factor and has none. One statement.
   * @returns until when it may be put off; undefined for whoever must set one up now
   */
  abstract offerRequired(userId: UserId): Promise<Date | undefined>;

  /** Puts it off in a session; false, and nothing written, where the days for that have passed. */
  abstract postponeRequired(tx: Tx, sessionId: SessionId): Promise<boolean>;

  /** Whether the user must have a factor and has none left, as the transaction sees it. */
  abstract lacksRequired(tx: Tx, userId: UserId): Promise<boolean>;
}
