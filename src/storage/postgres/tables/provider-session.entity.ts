import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { IdentityProviderId, SessionId } from '../../../domain/shared/ids.js';
import { IdentityProviderEntity } from './identity-provider.entity.js';
import { SessionEntity } from './session.entity.js';

/** Which session of an identity provider a session of ours began with: it ends with that one. */
@Entity('provider_sessions')
@ForeignKey(() => SessionEntity, ['sessionId'], ['id'], {
  name: 'provider_sessions_session',
  onDelete: 'CASCADE',
})
@ForeignKey(() => IdentityProviderEntity, ['providerId'], ['id'], {
  name: 'provider_sessions_provider',
  onDelete: 'CASCADE',
})
@Index('provider_sessions_by_subject', ['providerId', 'subject'])
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
}
