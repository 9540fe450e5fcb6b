import { Injectable } from '@nestjs/common';
import { PasskeySettings } from '../../passkeys/passkey.js';
import { HashingBill } from '../../passwords/hashing/hashing-bill.js';
import { PasswordHashing, PasswordHashingSettings } from '../../passwords/hashing/password-hashing.js';
import { defaultPasswordPolicy, type PasswordPolicy } from '../../passwords/password-policy.js';
import { PasswordPolicies } from '../../policies/security-policy.js';
import { requireServiceUserName } from '../../service-users/service-user-name.js';
import { ApiError } from '../../shared/errors.js';
import type { OrgId, UserId } from '../../shared/ids.js';
import { canonicalName } from '../../users/names/canonical-name.js';
import { domainOfUserName, userNameIn } from '../../users/names/user-name.js';
import type { UserState } from '../../users/user.js';
import { actingOf, type ClaimedChunk } from '../chunks/import-chunks.store.js';
import { ImportPermission } from '../import-permission.js';
import type { ReceivedRecord } from '../receive/received-record.js';
import type { RecordPassword } from '../records/human-record.js';
import type { ImportedHuman, ImportedMachine, ImportRecord } from '../records/import-record.js';
import { foreignHashes } from '../records/imported-factors.js';
import { doubledIdentity, identityKey, type ImportedIdentity } from '../records/imported-identities.js';
import { planHuman } from '../records/plan-human.js';
import { FieldError, inField } from '../records/record-errors.js';
import {
  ImportUsersStore,
  nameKey,
  type IdentityToAdd,
  type MessageToEnqueue,
  type Preparation,
  type StoredPassword,
  type UserToAdd,
} from './import-users.store.js';
import { faultOf, type ReadRecord } from './read-records.js';
import type { RecordFault } from './record-outcome.js';

/** A record as the new user that it would be. */
export interface PreparedRecord {
  readonly received: ReceivedRecord;
  readonly givenId: string | undefined;
  readonly orgId: OrgId | undefined;
  readonly record?: ImportRecord;
  readonly add?: UserToAdd;
  readonly messages: readonly MessageToEnqueue[];
  /** Of an import with `notify: deferred`: messages that are kept back. */
  readonly held?: number;
  /** Passkeys of the record that are for another relying party: they are in no user. */
  readonly foreignPasskeys?: number;
  readonly fault?: RecordFault;
}

interface Planned {
  readonly read: ReadRecord;
  readonly orgId: OrgId;
  readonly record: ImportRecord;
  readonly userName: string;
  readonly id: UserId;
  readonly policy: PasswordPolicy;
  /** Passkeys are made for this one. */
  readonly rpId: string;
  readonly identities: readonly IdentityToAdd[];
}

/**
 * All that can be done for a chunk before its transaction: rules, names, ids, and the hashing of passwords in clear,
 * as many at a time as the pool has slots. Asks the database for the whole chunk at once.
 */
@Injectable()
export class PrepareRecords {
  constructor(
    private readonly users: ImportUsersStore,
    private readonly policies: PasswordPolicies,
    private readonly hashing: PasswordHashing,
    private readonly hashingSettings: PasswordHashingSettings,
    private readonly passkeySettings: PasskeySettings,
    private readonly permission: ImportPermission,
  ) {}

  async execute(chunk: ClaimedChunk, read: readonly ReadRecord[]): Promise<PreparedRecord[]> {
    const orgIdOf = (record: ImportRecord): OrgId => record.orgId ?? chunk.recordsOrgId;
    const records = read.flatMap(({ record }) => (record === undefined ? [] : [record]));
    const names = records.map(userNameOf);
    const prepared = await this.users.prepare({
      newIds: records.filter(({ userId }) => userId === undefined).length,
      domains: [...new Set(names.map(domainOfUserName).filter((domain) => domain !== null))],
      orgIds: chunk.instanceWide ? [...new Set(records.map(orgIdOf))] : [],
      providerIds: [...new Set(records.flatMap(identitiesOf).map(({ providerId }) => providerId))],
    });
    const providers = await this.providersInReach(chunk, prepared);
    const policies = await this.findPolicies(records, orgIdOf);
    const { rpId } = this.passkeySettings;
    let nextId = 0;
    const result: PreparedRecord[] = [];
    const plain: { readonly place: number; readonly password: string }[] = [];
    for (const one of read) {
      const { record, received, givenId } = one;
      if (record === undefined) {
        result.push({
          received,
          givenId,
          orgId: undefined,
          messages: [],
          ...(one.fault && { fault: one.fault }),
        });
        continue;
      }
      const orgId = orgIdOf(record);
      const id = record.userId ?? prepared.ids[nextId++];
      if (id === undefined) throw new Error('too few ids were drawn');
      try {
        requireOrganization(chunk, orgId, prepared.organizations);
        const given = userNameOf(record);
        const owner = prepared.domainOwners.get(domainOfUserName(given) ?? '');
        const userName = userNameIn(orgId, given, owner);
        const policy = policies.get(orgId) ?? defaultPasswordPolicy;
        this.requireImportable(record);
        const identities = ownIdentities(record, orgId, providers);
        const planned = planRecord(chunk, {
          read: one,
          orgId,
          record,
          userName,
          id,
          policy,
          rpId,
          identities,
        });
        if (planned.plain !== undefined) plain.push({ place: result.length, password: planned.plain });
        result.push(planned.prepared);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const fault = faultOf(error, error instanceof OutOfReach ? error.code : 'invalid');
        result.push({ received, givenId, orgId, record, messages: [], fault });
      }
    }
    await this.hashPlain(chunk, result, plain);
    return result;
  }

  /** @throws HashRejected for a family of hashes that is switched off */
  private requireImportable(record: ImportRecord): void {
    if (record.kind !== 'human') return;
    const { password } = record.human;
    if (password?.kind === 'hash') this.hashing.requireImportable(password.hash);
    for (const hash of foreignHashes(record.factors)) this.hashing.requireImportable(hash);
  }

  /**
   * A subject of an instance's provider may be anybody's: only whoever keeps the provider names subjects of it
   * (`FindNameableProvider`).
   */
  private async providersInReach(
    chunk: ClaimedChunk,
    { providers }: Preparation,
  ): Promise<Preparation['providers']> {
    if (![...providers.values()].some(({ orgId }) => orgId === null)) return providers;
    const ofInstance = { orgId: chunk.orgId, instanceWide: true };
    if (await this.permission.holds(actingOf(chunk), ofInstance, 'iam.idp.write')) return providers;
    return new Map([...providers].filter(([, { orgId }]) => orgId !== null));
  }

  private async findPolicies(
    records: readonly ImportRecord[],
    orgIdOf: (record: ImportRecord) => OrgId,
  ): Promise<ReadonlyMap<OrgId, PasswordPolicy>> {
    const orgIds = new Set<OrgId>();
    for (const record of records) {
      if (record.kind === 'human' && record.human.password?.kind === 'plain') orgIds.add(orgIdOf(record));
    }
    const found = new Map<OrgId, PasswordPolicy>();
    for (const orgId of orgIds) found.set(orgId, await this.policies.find(orgId));
    return found;
  }

  /** In place. Whoever is there already, and keeps the password they have, costs no hashing. */
  private async hashPlain(
    chunk: ClaimedChunk,
    result: PreparedRecord[],
    plain: readonly { readonly place: number; readonly password: string }[],
  ): Promise<void> {
    if (plain.length === 0 || chunk.dryRun) return;
    const needed = await this.withoutKnown(chunk, result, plain);
    let next = 0;
    const work = async (): Promise<void> => {
      for (let one = needed[next++]; one !== undefined; one = needed[next++]) {
        const prepared = result[one.place];
        if (prepared?.add?.password === undefined) throw new Error('a password lost its record');
        const bill = HashingBill.bulkImport(prepared.add.orgId);
        const password = { ...prepared.add.password, ...(await this.hashing.encode(one.password, bill)) };
        result[one.place] = { ...prepared, add: { ...prepared.add, password } };
      }
    };
    await Promise.all(Array.from({ length: this.hashingSettings.slots }, work));
  }

  private async withoutKnown<Item extends { readonly place: number }>(
    chunk: ClaimedChunk,
    result: readonly PreparedRecord[],
    plain: readonly Item[],
  ): Promise<readonly Item[]> {
    if (chunk.mode === 'upsert' && chunk.updatePasswords) return plain;
    const adds = plain.map(({ place }) => result[place]?.add).filter((add) => add !== undefined);
    const known = await this.users.find(undefined, {
      ids: adds.map(({ id }) => id),
      userNames: adds.map(({ orgId, canonicalUserName: canonical }) => ({ orgId, canonical })),
      emails: [],
      passkeys: [],
      identities: [],
    });
    return plain.filter(({ place }) => {
      const add = result[place]?.add;
      return (
        add !== undefined &&
        !known.byId.has(add.id) &&
        !known.byUserName.has(nameKey(add.orgId, add.canonicalUserName))
      );
    });
  }
}

/** Stands where a hash comes later; none is stored like that (write-records.ts). */
export const UNHASHED = '';

function userNameOf(record: ImportRecord): string {
  return record.kind === 'human' ? record.human.userName : record.userName;
}

/** None of a record that cannot be read. */
export function identitiesOf(record: ImportRecord | undefined): readonly ImportedIdentity[] {
  return record?.kind === 'human' ? (record.human.identities ?? NONE) : NONE;
}

const NONE: readonly ImportedIdentity[] = [];

/** @throws OutOfReach for an identity of a provider that is neither the organization's nor, within reach, the instance's */
function ownIdentities(
  record: ImportRecord,
  orgId: OrgId,
  providers: Preparation['providers'],
): readonly IdentityToAdd[] {
  const seen = new Set<string>();
  return identitiesOf(record).map((identity, index) => {
    const provider = providers.get(identity.providerId);
    if (provider === undefined || (provider.orgId !== null && provider.orgId !== orgId)) {
      throw new OutOfReach('not_found', 'Identity provider not found', `idps[${index}].configId`);
    }
    const kept = { ...identity, subject: provider.keptSubject(identity.subject) };
    if (seen.has(identityKey(kept))) throw doubledIdentity(index);
    seen.add(identityKey(kept));
    return { ...kept, ofInstance: provider.orgId === null };
  });
}

function requireOrganization(chunk: ClaimedChunk, orgId: OrgId, organizations: ReadonlySet<string>): void {
  if (orgId === chunk.orgId) return;
  const missing = chunk.instanceWide && !organizations.has(orgId);
  if (chunk.instanceWide && !missing) return;
  if (missing) throw new OutOfReach('not_found', 'Organization not found');
  throw new OutOfReach('forbidden', 'the record names another organization than the caller may import into');
}

/** Of a record that names what the import does not reach. */
class OutOfReach extends FieldError {
  constructor(
    readonly code: 'forbidden' | 'not_found',
    text: string,
    path = 'orgId',
  ) {
    super(path, text);
  }
}

function planRecord(
  chunk: ClaimedChunk,
  planned: Planned,
): { readonly prepared: PreparedRecord; readonly plain: string | undefined } {
  const { record, read, orgId } = planned;
  const base = { received: read.received, givenId: read.givenId, orgId, record };
  if (record.kind === 'machine') {
    return { prepared: { ...base, add: newMachine(chunk, planned, record), messages: [] }, plain: undefined };
  }
  return planHumanRecord(chunk, planned, record, base);
}

function planHumanRecord(
  chunk: ClaimedChunk,
  { orgId, userName, id, policy, rpId, identities }: Planned,
  record: ImportedHuman,
  base: Omit<PreparedRecord, 'messages' | 'held'>,
): { readonly prepared: PreparedRecord; readonly plain: string | undefined } {
  const human = { ...record.human, userName };
  const passkeys = record.passkeys.filter((passkey) => passkey.rpId === rpId);
  const foreignPasskeys = record.passkeys.length - passkeys.length;
  const bringsPasskey = passkeys.some(({ passwordless }) => passwordless);
  const plan = inField('password', () => planHuman(human, policy, bringsPasskey));
  const state = stateOf(chunk, record, plan.state);
  const { profile, email, phone, password } = human;
  const add: UserToAdd = {
    id,
    orgId,
    userName,
    state,
    createdAt: record.createdAt,
    is: {
      type: 'human',
      profile: { ...profile, displayName: plan.displayName },
      email,
      ...(phone && { phone }),
    },
    canonicalUserName: plan.identifiers[0]?.canonical ?? canonicalName(userName),
    canonicalEmail: plan.identifiers[1]?.canonical,
    metadata: record.metadata,
    password: password && storedPassword(password),
    totpSecret: record.factors.totpSecret,
    recoveryCodes: record.factors.recoveryCodes,
    codeFactors: record.factors.codeFactors,
    passkeys,
    identities,
  };
  const messages: MessageToEnqueue[] = [];
  if (chunk.notify !== 'none' && (state === 'initial' || state === 'active')) {
    const message = { orgId, userId: id };
    if (plan.mail !== undefined) {
      const purpose = plan.mail === 'init' ? 'initialise' : 'verify_email';
      messages.push({ ...message, purpose, target: email.address });
    }
    if (email.pending !== undefined) {
      messages.push({ ...message, purpose: 'verify_email', target: email.pending });
    }
    if (plan.sms !== undefined && phone !== undefined) {
      messages.push({ ...message, purpose: 'verify_phone', target: phone.number });
    }
  }
  const plain = password?.kind === 'plain' ? password.plain : undefined;
  const due = chunk.notify === 'deferred' ? { messages: [], held: messages.length } : { messages };
  const left = foreignPasskeys > 0 && { foreignPasskeys };
  return { prepared: { ...base, add, ...due, ...left }, plain };
}

function newMachine(
  chunk: ClaimedChunk,
  { orgId, userName, id }: Planned,
  record: ImportedMachine,
): UserToAdd {
  const { name, description, accessTokenType } = record;
  requireServiceUserName(userName);
  return {
    id,
    orgId,
    userName,
    state: stateOf(chunk, record, 'active'),
    createdAt: record.createdAt,
    is: { type: 'machine', name, ...(description !== undefined && { description }), accessTokenType },
    canonicalUserName: canonicalName(userName),
    canonicalEmail: undefined,
    metadata: record.metadata,
    secretHash: record.secretHash,
  };
}

function stateOf(chunk: ClaimedChunk, record: ImportRecord, usual: UserState): UserState {
  const wish = record.state ?? chunk.initialState;
  return wish === 'inactive' || wish === 'locked' ? wish : usual;
}

function storedPassword(password: RecordPassword): StoredPassword {
  if (password.kind === 'plain') {
    return { hash: UNHASHED, scheme: '', weak: false, changeRequired: password.changeRequired };
  }
  const { hash, scheme, weak } = password;
  return { hash, scheme, weak, changeRequired: false };
}
