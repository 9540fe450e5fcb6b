import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { IdentityProviderId, SessionId, UserAgentId } from '../../../domain/shared/ids.js';
import { DataKeyEntity } from './data-key.entity.js';
import { IdentityProviderEntity } from './identity-provider.entity.js';
import { SessionEntity } from './session.entity.js';
import { UserAgentEntity } from './user-agent.entity.js';

/** The session at an identity provider that a session of ours began with, and ends with. */
@Entity('provider_sessions')
@ForeignKey(() => SessionEntity, ['sessionId'], ['id'], {
  name: 'provider_sessions_session',
  onDelete: 'CASCADE',
})
@ForeignKey(() => IdentityProviderEntity, ['providerId'], ['id'], {
  name: 'provider_sessions_provider',
  onDelete: 'CASCADE',
})
@ForeignKey(() => DataKeyEntity, ['dataKeyId'], ['id'], { name: 'provider_sessions_data_key' })
@Check('provider_sessions_sealed', '(id_token_sealed IS NULL) = (data_key_id IS NULL)')
@Index('provider_sessions_by_subject', ['providerId', 'subject'])
@Index('provider_sessions_by_name', ['providerId', 'providerName'], {
  where: 'provider_name IS NOT NULL',
})
@Index('provider_sessions_by_session', ['providerId', 'providerSession'], {
  where: 'provider_session IS NOT NULL',
})
export class ProviderSessionEntity {
  @PrimaryColumn('text', { name: 'session_id', primaryKeyConstraintName: 'provider_sessions_pkey' })
  sessionId!: SessionId;

  @Column('text', { name: 'provider_id' })
  providerId!: IdentityProviderId;

  @Column('text')
  subject!: string;

  @Column('text', { name: 'provider_session', nullable: true })
  providerSession!: string | null;

  /** The user's name in logout requests of the provider (NameID of SAML), if it is not the subject. */
  @Column('text', { name: 'provider_name', nullable: true })
  providerName!: string | null;

  /** The ID token for a logout at the provider when the user signs out here; deleted then. */
  @Column('bytea', { name: 'id_token_sealed', nullable: true })
  idTokenSealed!: Buffer | null;

  @Column('integer', { name: 'data_key_id', nullable: true })
  dataKeyId!: number | null;
}

/** A sign-out under way at a provider. */
@Entity('provider_sign_outs')
@ForeignKey(() => IdentityProviderEntity, ['providerId'], ['id'], {
  name: 'provider_sign_outs_provider',
  onDelete: 'CASCADE',
})
@ForeignKey(() => UserAgentEntity, ['userAgentId'], ['id'], {
  name: 'provider_sign_outs_user_agent',
  onDelete: 'CASCADE',
})
@Index('provider_sign_outs_by_provider', ['providerId'])
@Index('provider_sign_outs_by_user_agent', ['userAgentId'])
@Index('provider_sign_outs_expiry', ['expiresAt'])
export class ProviderSignOutEntity {
  @PrimaryColumn('bytea', { name: 'state_hash', primaryKeyConstraintName: 'provider_sign_outs_pkey' })
  stateHash!: Buffer;

  @Column('text', { name: 'provider_id' })
  providerId!: IdentityProviderId;

  @Column('text', { name: 'user_agent_id' })
  userAgentId!: UserAgentId;

  /** Where to go afterwards: the registered URI of an application with its state; null for our own page. */
  @Column('text', { nullable: true })
  target!: string | null;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
