import { Injectable } from '@nestjs/common';
import type { ImportedFactors } from '../../factors/factors.store.js';
import type { WantedSms } from '../../notifications/abuse/sms-caps.js';
import { SmsProviders, type SmsMode } from '../../notifications/providers/sms-providers.js';
import { HashingBill } from '../../passwords/hashing/hashing-bill.js';
import { PasswordHashing } from '../../passwords/hashing/password-hashing.js';
import { defaultPasswordPolicy } from '../../passwords/password-policy.js';
import type { GivenPassword } from '../../passwords/passwords.store.js';
import { inPerson, type Acting } from '../../permissions/acting.js';
import type { OrgId, UserId } from '../../shared/ids.js';
import { domainOfUserName, userNameIn } from '../../users/names/user-name.js';
import { NewPasswords, type PasswordCandidate } from '../../users/new-passwords/new-passwords.js';
import { UsersStore, type NewHuman } from '../../users/users.store.js';
import type { VerificationToEnqueue } from '../../users/verification/enqueue-verification.js';
import type { HumanRecord, RecordPassword } from './human-record.js';
import { foreignHashes } from './imported-factors.js';
import type { ImportedIdentity } from './imported-identities.js';
import { planHuman, type HumanPlan } from './plan-human.js';

export interface HumanToImport {
  readonly orgId: OrgId;
  readonly record: HumanRecord;
  /** Where the request came from. */
  readonly source: string;
}

/** `added`: created here, without an imported hash; `migrated`: migrated at the user's own sign-in. */
type Coming = 'imported' | 'added' | 'migrated';

export interface ImportHuman extends HumanToImport, Acting {
  readonly how?: Exclude<Coming, 'migrated'>;
}

/** Who answers for the password is decided in the transaction that writes it. */
export interface HumanToAdd extends Omit<NewHuman, 'password'> {
  readonly password: Omit<GivenPassword, 'madeBy'> | undefined;
}

/** A human that is ready to be written. */
export interface PreparedHuman {
  readonly acting: Acting;
  readonly how: Coming;
  readonly human: HumanToAdd;
  readonly factors?: ImportedFactors;
  readonly identities: readonly ImportedIdentity[];
  readonly messages: readonly VerificationToEnqueue[];
  /** For a number that is not verified; a limit on SMS stops the message and not the import. */
  readonly sms?: { readonly mode: SmsMode; readonly wanted: WantedSms };
  /** Whoever imports gets a link by which the user adds a passkey. */
  readonly asksForPasskeyLink: boolean;
}

/** Decides what becomes of one human, and hashes what is to be hashed, without a transaction. */
@Injectable()
export class PrepareHuman {
  constructor(
    private readonly users: UsersStore,
    private readonly hashing: PasswordHashing,
    private readonly newPasswords: NewPasswords,
    private readonly smsProviders: SmsProviders,
  ) {}

  /** @throws ApiError invalid-argument for a reserved domain, a weak password or a scheme switched off; HashingOverloaded */
  async execute({ actorId, through, how = 'imported', ...human }: ImportHuman): Promise<PreparedHuman> {
    return await this.prepareBy(() => ({ actorId, through }), how, human);
  }

  /** Somebody who signs in for the first time, with a password that is hashed already. @throws as `execute` */
  async migrated(human: HumanToImport): Promise<PreparedHuman> {
    return await this.prepareBy(inPerson, 'migrated', human);
  }

  private async prepareBy(
    actingFor: (id: UserId) => Acting,
    how: Coming,
    { orgId, record, source }: HumanToImport,
  ): Promise<PreparedHuman> {
    const [reserved] = await this.users.reserve([domainOfUserName(record.userName)]);
    if (reserved === undefined) throw new Error('no id was reserved');
    const userName = userNameIn(orgId, record.userName, reserved.domainOwner);
    // only a password in clear can be held against it
    const policy =
      record.password?.kind === 'plain' ? await this.newPasswords.policyOf(orgId) : defaultPasswordPolicy;
    const plan = planHuman({ ...record, userName }, policy);
    const { profile, email, phone, factors, identities = [], asksForPasskeyLink = false } = record;
    if (factors !== undefined) {
      for (const hash of foreignHashes(factors)) this.hashing.requireImportable(hash);
    }
    const bill =
      how === 'added' ? HashingBill.administration(orgId, source) : HashingBill.singleImport(orgId, source);
    const human: HumanToAdd = {
      id: reserved.id,
      orgId,
      userName,
      state: plan.state,
      profile: { ...profile, displayName: plan.displayName },
      email,
      ...(phone && { phone }),
      identifiers: plan.identifiers,
      password:
        plan.password && (await this.encode(plan.password, { orgId, user: wordsOf(record), bill }, how)),
    };
    const messages = messagesOf(human, plan);
    return {
      acting: actingFor(reserved.id),
      how,
      human,
      messages,
      identities,
      asksForPasskeyLink,
      ...(factors && { factors }),
      ...(await this.smsOf(human, plan)),
    };
  }

  private async smsOf(
    { id: userId, orgId, phone }: HumanToAdd,
    plan: HumanPlan,
  ): Promise<Pick<PreparedHuman, 'sms'>> {
    if (plan.sms === undefined || phone === undefined) return {};
    const wanted = { orgId, userId, number: phone.number, origin: 'import', again: false } as const;
    return { sms: { mode: await this.smsProviders.mode(), wanted } };
  }

  private async encode(
    password: RecordPassword,
    candidate: Omit<PasswordCandidate, 'password'>,
    how: Coming,
  ): Promise<NonNullable<HumanToAdd['password']>> {
    if (password.kind === 'hash') {
      const { hash, scheme, weak, changeRequired = false } = password;
      // one that was made here was not brought along
      if (how !== 'migrated') this.hashing.requireImportable(hash);
      return { hash, scheme, weak, changeRequired };
    }
    // an imported password stays valid; one that a manager chooses must meet the password policy
    const encoded =
      how === 'added'
        ? await this.newPasswords.require({ ...candidate, password: password.plain })
        : await this.newPasswords.encode(password.plain, candidate.bill);
    return { ...encoded, changeRequired: password.changeRequired };
  }
}

function wordsOf({ userName, email, profile }: HumanRecord): readonly string[] {
  const { firstName, lastName, nickName, displayName } = profile;
  const words = [userName, email.address, firstName, lastName, nickName, displayName];
  return words.filter((word) => word !== undefined);
}

const PURPOSES = { init: 'initialise', 'verify-email': 'verify_email' } as const;

function messagesOf({ id, orgId, email }: HumanToAdd, plan: HumanPlan): VerificationToEnqueue[] {
  if (plan.mail === undefined) return [];
  return [{ orgId, userId: id, purpose: PURPOSES[plan.mail], target: email.address }];
}
