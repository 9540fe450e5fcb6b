import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { AuthorizationRequest } from '../../../domain/authorize/auth-request.js';
import type { ApplicationId } from '../../../domain/shared/ids.js';
import { ApplicationEntity } from './application.entity.js';

/** An authorization request that an application has pushed (RFC 9126), by the hash of its `request_uri`. Removed when it is used. */
@Entity('pushed_requests')
@ForeignKey(() => ApplicationEntity, ['applicationId'], ['id'], {
  name: 'pushed_requests_application',
  onDelete: 'CASCADE',
})
@Index('pushed_requests_by_application', ['applicationId'])
@Index('pushed_requests_expiry', ['expiresAt'])
export class PushedRequestEntity {
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'pushed_requests_pkey' })
  hash!: Buffer;

  @Column('text', { name: 'application_id' })
  applicationId!: ApplicationId;

  @Column('jsonb')
  request!: AuthorizationRequest;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
