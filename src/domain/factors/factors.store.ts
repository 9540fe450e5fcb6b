import type { FactorKind } from '../policies/factor-policy.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { RecordRecoveryCode } from './recovery-code-hash.js';
import type { TotpSeed } from './totp-seed.js';

export interface StoredTotp {
  readonly seed: TotpSeed;
  /** Of this seed alone: a code of one that was replaced meanwhile is worth nothing. */
  readonly mark: Buffer;
}

/** What somebody can show besides a password. */
export interface UsableFactors {
  readonly totp: boolean;
  readonly passkeys: number;
  /** How many are left. They stand in for a factor, and are none by themselves. */
  readonly recoveryCodes: number;
  /** What the policy lists, strongest first: a factor of any other kind is neither asked for nor counted. */
  readonly kinds: readonly FactorKind[];
  /** For how long a browser may be spared them; 0 for never. */
  readonly trustedBrowserDays: number;
}

/** What a page may ask for. */
export type AskedKind = FactorKind | 'recovery-code';

/** What somebody may show as their second factor, strongest first; nothing where they have none that counts. */
export function askedKinds({ totp, passkeys, recoveryCodes, kinds }: UsableFactors): readonly AskedKind[] {
  const held: Readonly<Record<FactorKind, boolean>> = {
    totp,
    passkey: passkeys > 0,
    email: false,
    sms: false,
  };
  const asked = kinds.filter((kind) => held[kind]);
  return asked.length > 0 && recoveryCodes > 0 ? [...asked, 'recovery-code'] : asked;
}

export abstract class FactorsStore {
  abstract findUsable(userId: UserId): Promise<UsableFactors>;

  /** Whatever kinds there are, passkeys among them. False where there was nothing to remove. */
  abstract removeAll(tx: Tx, orgId: OrgId, userId: UserId): Promise<boolean>;

  abstract findTotp(userId: UserId): Promise<StoredTotp | undefined>;

  /**
   * Uses up a time step, by one conditional statement: false where a code of it or of a later one was used before, or the
   * seed is another one by now.
   */
  abstract takeTotpStep(tx: Tx, userId: UserId, mark: Buffer, step: number): Promise<boolean>;

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
    factors: { readonly totpSecret?: string; readonly recoveryCodes: readonly RecordRecoveryCode[] },
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
}
