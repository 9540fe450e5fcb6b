import type { JWK } from 'jose';
import type { CodeFactorKind } from '../policies/factor-policy.js';
import type { ActivityState } from '../projects/projects.store.js';
import type {
  ApplicationId,
  ApplicationKeyId,
  OrgId,
  ProjectGrantId,
  ProjectId,
  ServiceUserKeyId,
  UserId,
} from '../shared/ids.js';
import type { User } from '../users/user.js';
import type { ImportedIdentity } from './records/imported-identities.js';
import type { ImportedPasskey } from './records/imported-passkeys.js';

export type ExportedPasskey = Omit<ImportedPasskey, 'rpId'>;

/** A user with what others could sign in as them by, as far as it was asked for. */
export interface ExportedUser {
  readonly user: User;
  readonly passwordHash?: string | undefined;
  /** Base32, or the address of a seed of another kind. */
  readonly totpSecret?: string | undefined;
  /** Hashes of those that are left, as an import takes them. */
  readonly recoveryCodes: readonly string[];
  /** Nobody signs in by these: they are always there. */
  readonly codeFactors: readonly CodeFactorKind[];
  /** What is kept of them; nobody signs in by that. */
  readonly passkeys: readonly ExportedPasskey[];
  /** Of providers of this instance. */
  readonly identities: readonly ImportedIdentity[];
  /** SHA-256 of a service user's client secret. */
  readonly secretHash?: Buffer | undefined;
}

export interface ExportedMetadata {
  readonly userId: UserId;
  readonly key: string;
  readonly value: Buffer;
}

export interface ExportedRoleAssignment {
  readonly userId: UserId;
  readonly projectId: ProjectId;
  readonly projectGrantId?: ProjectGrantId;
  readonly roleKeys: readonly string[];
  readonly state: ActivityState;
}

interface ExportedKey {
  readonly publicJwk: JWK;
  readonly expiresAt: Date;
}

export interface ExportedMachineKey extends ExportedKey {
  readonly id: ServiceUserKeyId;
  readonly userId: UserId;
}

export interface ExportedApplicationKey extends ExportedKey {
  readonly id: ApplicationKeyId;
  readonly projectId: ProjectId;
  readonly applicationId: ApplicationId;
  readonly clientId: string;
}

export interface WantedUsers {
  readonly kind: 'human' | 'machine';
  readonly withPasswords: boolean;
  /** TOTP secrets, recovery codes and passkeys. */
  readonly withFactors: boolean;
  readonly withIdentities: boolean;
}

/**
 * Exports what an organization has many of: one statement per page, ordered by id,
 * so that the same data is exported in the same order on every instance. `after` is the last id of the previous page.
 */
export abstract class ExportStore {
  abstract users(orgId: OrgId, wanted: WantedUsers, after: string): Promise<readonly ExportedUser[]>;

  abstract metadata(
    orgId: OrgId,
    after: { readonly userId: string; readonly key: string },
  ): Promise<readonly ExportedMetadata[]>;

  abstract grants(
    orgId: OrgId,
    after: { readonly userId: string; readonly projectId: string },
  ): Promise<readonly ExportedRoleAssignment[]>;

  /** Keys that have run out are good for nothing, and stay. */
  abstract machineKeys(
    orgId: OrgId,
    after: { readonly userId: string; readonly id: string },
  ): Promise<readonly ExportedMachineKey[]>;

  abstract applicationKeys(
    orgId: OrgId,
    after: { readonly applicationId: string; readonly id: string },
  ): Promise<readonly ExportedApplicationKey[]>;

  /** Of applications that have a secret: SHA-256 of it. */
  abstract secretHashes(
    orgId: OrgId,
    applications: readonly ApplicationId[],
  ): Promise<ReadonlyMap<ApplicationId, Buffer>>;
}
