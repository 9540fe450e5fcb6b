import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import { ExportStore, type ExportedPasskey, type ExportedUser } from '../../domain/imports/export.store.js';
import { MembersStore } from '../../domain/members/members.store.js';
import {
  OrganizationsStore,
  type OrganizationRecord,
} from '../../domain/organizations/organizations.store.js';
import { PasskeySettings } from '../../domain/passkeys/passkey.js';
import type { OrgId } from '../../domain/shared/ids.js';
import { humanAnswer } from '../shared/schemas/human.schemas.js';
import { userState } from '../shared/schemas/user.schemas.js';
import { ExportPolicies } from './export-policies.js';
import { ExportProjects } from './export-projects.js';
import { hashedSecret, nonZero, type WantedData } from './exported-fields.js';
import { each } from './exported-pages.js';

/**
 * Organizations in the form that `dataOrgs` takes (protocol §2.2), as text that is made while it is sent: one page of
 * anything is in memory at a time. In the order of ids, or of when things were made, so that the same data gives the
 * same text.
 */
@Injectable()
export class DataExport {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly policies: ExportPolicies,
    private readonly projects: ExportProjects,
    private readonly members: MembersStore,
    private readonly store: ExportStore,
    private readonly passkeys: PasskeySettings,
  ) {}

  async *write(wanted: WantedData): AsyncGenerator<string> {
    yield '{"orgs":[';
    let first = true;
    for await (const org of each((page) => this.organizations.list(page))) {
      const { orgIds, excludedOrgIds } = wanted;
      if ((orgIds.length > 0 && !orgIds.includes(org.id)) || excludedOrgIds.includes(org.id)) continue;
      yield first ? '' : ',';
      first = false;
      yield* this.organization(org, wanted);
    }
    yield ']}';
  }

  private async *organization(org: OrganizationRecord, wanted: WantedData): AsyncGenerator<string> {
    const { id, name, state } = org;
    yield `{"orgId":${JSON.stringify(id)},"org":${JSON.stringify({ name })}`;
    if (state === 'inactive') yield ',"orgState":"ORG_STATE_INACTIVE"';
    for (const [policy, value] of Object.entries(await this.policies.of(id))) {
      yield `,"${policy}":${JSON.stringify(value)}`;
    }
    yield* member('domains', this.domainsOf(id));
    yield* member('projects', this.projects.projectsOf(id));
    yield* member('projectRoles', this.projects.rolesOf(id));
    yield* member('oidcApps', this.projects.applicationsOf(id, 'oidc', wanted));
    yield* member('apiApps', this.projects.applicationsOf(id, 'api', wanted));
    yield* member('humanUsers', this.usersOf(id, 'human', wanted));
    yield* member('machineUsers', this.usersOf(id, 'machine', wanted));
    yield* member('userMetadata', this.metadataOf(id));
    yield* member('machineKeys', this.machineKeysOf(id));
    yield* member('appKeys', this.applicationKeysOf(id));
    yield* member('projectGrants', this.projects.grantsOf(id));
    yield* member('userGrants', this.grantsOf(id));
    yield* member('orgMembers', this.membersOf(id));
    yield '}';
  }

  private async *domainsOf(orgId: OrgId): AsyncGenerator<object> {
    for await (const one of each((page) => this.organizations.listDomains(orgId, page))) {
      yield {
        orgId,
        domainName: one.domain,
        ...(one.verified && { isVerified: true }),
        ...(one.primary && { isPrimary: true }),
      };
    }
  }

  private async *usersOf(
    orgId: OrgId,
    kind: 'human' | 'machine',
    { withPasswords, withOtp, withIdps }: WantedData,
  ): AsyncGenerator<object> {
    const asked = { kind, withPasswords, withFactors: withOtp, withIdentities: withIdps };
    const users = following(
      async (last: ExportedUser | undefined) => await this.store.users(orgId, asked, last?.user.id ?? ''),
    );
    for await (const exported of users) {
      const { user } = exported;
      yield {
        userId: user.id,
        user: { userName: user.userName, ...personOrMachine(exported, this.passkeys.rpId) },
        state: userState.parse(user.state),
        createdAt: user.details.createdAt.toISOString(),
      };
    }
  }

  private async *metadataOf(orgId: OrgId): AsyncGenerator<object> {
    const start = { userId: '', key: '' };
    for await (const { userId, key, value } of following(
      async (last: typeof start | undefined) => await this.store.metadata(orgId, last ?? start),
    )) {
      yield { id: userId, key, value: value.toString('base64') };
    }
  }

  private async *machineKeysOf(orgId: OrgId): AsyncGenerator<object> {
    const start = { userId: '', id: '' };
    for await (const { id: keyId, userId, ...key } of following(
      async (last: typeof start | undefined) => await this.store.machineKeys(orgId, last ?? start),
    )) {
      yield { keyId, userId, ...keyOf(key) };
    }
  }

  private async *applicationKeysOf(orgId: OrgId): AsyncGenerator<object> {
    const start = { applicationId: '', id: '' };
    for await (const { id, projectId, applicationId: appId, clientId, ...key } of following(
      async (last: typeof start | undefined) => await this.store.applicationKeys(orgId, last ?? start),
    )) {
      yield { id, projectId, appId, clientId, ...keyOf(key) };
    }
  }

  private async *grantsOf(orgId: OrgId): AsyncGenerator<object> {
    const start = { userId: '', projectId: '' };
    for await (const { userId, projectId, projectGrantId, roleKeys, state } of following(
      async (last: typeof start | undefined) => await this.store.grants(orgId, last ?? start),
    )) {
      const resting = state === 'inactive' && { state: 'USER_GRANT_STATE_INACTIVE' };
      const granted = projectGrantId !== undefined && { projectGrantId };
      yield { userId, projectId, ...granted, ...(roleKeys.length > 0 && { roleKeys }), ...resting };
    }
  }

  private async *membersOf(orgId: OrgId): AsyncGenerator<object> {
    for await (const { userId, userOrgId, roles } of each((page) => this.members.list(orgId, page))) {
      if (userOrgId === orgId) yield { userId, roles: [...roles].sort() };
    }
  }
}

/** Everything there is, each page asked for by the last item of the one before. */
async function* following<Item extends Last, Last>(
  next: (last: Last | undefined) => Promise<readonly Item[]>,
): AsyncGenerator<Item> {
  for (let page = await next(undefined); page.length > 0; page = await next(page.at(-1))) yield* page;
}

/** A member whose value is a list; left out when that is empty (protocol §0.1). */
async function* member(name: string, items: AsyncIterable<object>): AsyncGenerator<string> {
  let begun = false;
  for await (const item of items) {
    yield `${begun ? ',' : `,"${name}":[`}${JSON.stringify(item)}`;
    begun = true;
  }
  if (begun) yield ']';
}

/** As a PEM; one that is bound to an algorithm as the JWK that says so. */
function keyOf({ publicJwk, expiresAt }: { readonly publicJwk: JWK; readonly expiresAt: Date }): object {
  const text =
    publicJwk.alg === undefined
      ? createPublicKey({ key: publicJwk as JsonWebKey, format: 'jwk' }).export({
          type: 'spki',
          format: 'pem',
        })
      : JSON.stringify(publicJwk);
  return {
    type: 'KEY_TYPE_JSON',
    expirationDate: expiresAt.toISOString(),
    publicKey: Buffer.from(text).toString('base64'),
  };
}

function personOrMachine(
  {
    user,
    passwordHash,
    totpSecret,
    recoveryCodes,
    codeFactors,
    passkeys,
    identities,
    secretHash,
  }: ExportedUser,
  rpId: string,
): object {
  if (user.type === 'human') {
    return {
      ...humanAnswer.parse(user),
      ...(passwordHash !== undefined && { hashedPassword: { value: passwordHash } }),
      ...(totpSecret !== undefined && { otpCode: totpSecret }),
      ...(recoveryCodes.length > 0 && { recoveryCodes: recoveryCodes.map((hash) => ({ hash })) }),
      ...(codeFactors.length > 0 && { codeFactors }),
      ...(passkeys.length > 0 && {
        passkeys: passkeys.map((passkey) => ({ rpId, ...writtenPasskey(passkey) })),
      }),
      ...(identities.length > 0 && {
        idps: identities.map(({ providerId, subject, displayName }) => ({
          configId: providerId,
          externalUserId: subject,
          ...nonZero({ displayName }),
        })),
      }),
    };
  }
  const { name, description = '', accessTokenType } = user;
  const jwt = accessTokenType === 'jwt' && { accessTokenType: 'ACCESS_TOKEN_TYPE_JWT' };
  return { name, ...nonZero({ description }), ...jwt, ...hashedSecret(secretHash) };
}

/** Bytes as WebAuthn writes them: base64url. */
function writtenPasskey({ credentialId, publicKey, userHandle, ...passkey }: ExportedPasskey): object {
  return {
    credentialId: credentialId.toString('base64url'),
    publicKey: publicKey.toString('base64url'),
    userHandle: userHandle.toString('base64url'),
    ...passkey,
  };
}
