import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { ApplicationEntity } from './application.entity.js';

/** A back-channel logout endpoint that fails; the row is deleted with the first success. */
@Entity('logout_endpoints')
@ForeignKey(() => ApplicationEntity, ['applicationId'], ['id'], {
  name: 'logout_endpoints_application',
  onDelete: 'CASCADE',
})
@Check('logout_endpoints_failures', 'failures > 0')
export class LogoutEndpointEntity {
  @PrimaryColumn('text', { name: 'application_id', primaryKeyConstraintName: 'logout_endpoints_pkey' })
  applicationId!: string;

  /** The URI that failed; failures of a former URI do not count for a new one. */
  @Column('text')
  uri!: string;

  /** Failures since the last success. */
  @Column('integer')
  failures!: number;

  @Column('timestamptz', { name: 'failing_since', default: () => 'app_now()' })
  failingSince!: Date;

  @Column('timestamptz', { name: 'next_try_at' })
  nextTryAt!: Date;
}
