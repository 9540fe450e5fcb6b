import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ProviderKind, ProviderState } from '../../../domain/identity-providers/identity-provider.js';
import type { ExternalIdentity } from '../../../domain/identity-providers/provider-client.js';
import type {
  AuthRequestId,
  IdentityProviderId,
  OrgId,
  SessionId,
  UserAgentId,
  UserId,
  UserIdentityId,
} from '../../../domain/shared/ids.js';
import { CountedChanges } from './counted-changes.js';
import { DataKeyEntity } from './data-key.entity.js';
import { OrganizationEntity } from './organization.entity.js';
import { UserAgentEntity } from './user-agent.entity.js';
import { UserEntity } from './user.entity.js';

/** An external identity provider of an organization, or of the instance if `orgId` is null. */
@Entity('identity_providers')
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], {
  name: 'identity_providers_org',
  onDelete: 'CASCADE',
})
@ForeignKey(() => DataKeyEntity, ['dataKeyId'], ['id'], { name: 'identity_providers_data_key' })
@Index('identity_providers_of_org', ['orgId', 'createdAt'])
@Index('identity_providers_expiry', ['expiresAt'], { where: 'expires_at IS NOT NULL' })
@Index('identity_providers_one_home_realm', ['orgId'], { unique: true, where: 'home_realm' })
@Check('identity_providers_name', 'char_length(name) BETWEEN 1 AND 200')
@Check('identity_providers_kind', 'char_length(kind) BETWEEN 1 AND 40')
@Check('identity_providers_state', "state IN ('active', 'inactive')")
@Check(
  'identity_providers_settings',
  "jsonb_typeof(settings) = 'object' AND jsonb_typeof(mapping) = 'object'",
)
@Check('identity_providers_home_realm', 'NOT home_realm OR org_id IS NOT NULL')
@Check('identity_providers_sealed', '(secret_sealed IS NULL) = (data_key_id IS NULL)')
export class IdentityProviderEntity extends CountedChanges {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'identity_providers_pkey', default: () => 'new_id()' })
  id!: IdentityProviderId;

  @Column('text', { name: 'org_id', nullable: true })
  orgId!: OrgId | null;

  @Column('text')
  name!: string;

  @Column('text')
  kind!: ProviderKind;

  @Column('text', { default: 'inactive' })
  state!: ProviderState;

  @Column('jsonb')
  settings!: object;

  @Column('jsonb', { default: {} })
  mapping!: object;

  @Column('boolean', { name: 'allow_creation', default: false })
  allowCreation!: boolean;

  @Column('boolean', { name: 'allow_linking', default: true })
  allowLinking!: boolean;

  @Column('boolean', { name: 'update_on_sign_in', default: false })
  updateOnSignIn!: boolean;

  @Column('boolean', { name: 'home_realm', default: false })
  homeRealm!: boolean;

  @Column('bytea', { name: 'secret_sealed', nullable: true })
  secretSealed!: Buffer | null;

  @Column('integer', { name: 'data_key_id', nullable: true })
  dataKeyId!: number | null;

  /** When the secret or the last certificate expires. */
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  /** The expiry that was announced. */
  @Column('timestamptz', { name: 'warned_of', nullable: true })
  warnedOf!: Date | null;
}

/** A user's identity at a provider, identified only by the provider's subject. */
@Entity('user_identities')
@ForeignKey(() => IdentityProviderEntity, ['providerId'], ['id'], {
  name: 'user_identities_provider',
  onDelete: 'CASCADE',
})
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'user_identities_user',
  onDelete: 'CASCADE',
})
@Unique('user_identities_subject', ['providerId', 'subject'])
@Index('user_identities_by_user', ['orgId', 'userId'])
@Check('user_identities_named', 'char_length(subject) BETWEEN 1 AND 255 AND char_length(display_name) <= 200')
export class UserIdentityEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'user_identities_pkey', default: () => 'new_id()' })
  id!: UserIdentityId;

  @Column('text', { name: 'provider_id' })
  providerId!: IdentityProviderId;

  @Column('text')
  subject!: string;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text', { name: 'user_id' })
  userId!: UserId;

  /** The user's name at the provider, for display. */
  @Column('text', { name: 'display_name', default: '' })
  displayName!: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;

  /** The manager who linked it, empty if unknown; null if the user linked it by a sign-in. */
  @Column('text', { name: 'made_by', nullable: true })
  madeBy!: string | null;
}

/** A sign-in under way at a provider; the row is deleted with the first response. */
@Entity('external_sign_ins')
@ForeignKey(() => IdentityProviderEntity, ['providerId'], ['id'], {
  name: 'external_sign_ins_provider',
  onDelete: 'CASCADE',
})
@ForeignKey(() => UserAgentEntity, ['userAgentId'], ['id'], {
  name: 'external_sign_ins_user_agent',
  onDelete: 'CASCADE',
})
@Index('external_sign_ins_by_provider', ['providerId'])
@Index('external_sign_ins_by_user_agent', ['userAgentId'])
@Index('external_sign_ins_expiry', ['expiresAt'])
@Check('external_sign_ins_answer', '(answer IS NULL) = (answer_hash IS NULL)')
@Check('external_sign_ins_purpose', 'num_nonnulls(flow_id, link_session_id, confirm_session_id) = 1')
export class ExternalSignInEntity {
  @PrimaryColumn('bytea', { name: 'state_hash', primaryKeyConstraintName: 'external_sign_ins_pkey' })
  stateHash!: Buffer;

  @Column('text', { name: 'provider_id' })
  providerId!: IdentityProviderId;

  @Column('text', { name: 'user_agent_id' })
  userAgentId!: UserAgentId;

  /** The authorization request that the sign-in belongs to. One of this, `linkSessionId` and `confirmSessionId` is set. */
  @Column('text', { name: 'flow_id', nullable: true })
  flowId!: AuthRequestId | null;

  /** With `flowId`: the organization of the typed e-mail domain, in which a new user is created, whatever the application. */
  @Column('text', { name: 'realm_org_id', nullable: true })
  realmOrgId!: OrgId | null;

  /** The session whose user links an identity. */
  @Column('text', { name: 'link_session_id', nullable: true })
  linkSessionId!: SessionId | null;

  /** The session whose user confirms who they are. */
  @Column('text', { name: 'confirm_session_id', nullable: true })
  confirmSessionId!: SessionId | null;

  @Column('text')
  nonce!: string;

  @Column('text', { name: 'code_verifier' })
  codeVerifier!: string;

  /** `max_age` of the application's request, which the provider must meet. */
  @Column('integer', { name: 'max_age', nullable: true })
  maxAge!: number | null;

  /** The verified identity of a posted response; null until then. */
  @Column('jsonb', { nullable: true })
  answer!: ExternalIdentity | null;

  /** The number of posted responses that were checked. */
  @Column('smallint', { name: 'answers_read', default: 0 })
  answersRead!: number;

  /** The hash of the handle with which the browser continues. */
  @Column('bytea', { name: 'answer_hash', nullable: true })
  answerHash!: Buffer | null;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
