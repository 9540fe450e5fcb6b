import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { ApplicationEntity } from './application.entity.js';

/** An endpoint that does not take logout tokens at the moment; the first that is taken removes the row. */
@Entity('logout_endpoints')
@ForeignKey(() => ApplicationEntity, ['applicationId'], ['id'], {
  name: 'logout_endpoints_application',
  onDelete: 'CASCADE',
})
@Check('logout_endpoints_failures', 'failures > 0')
export class LogoutEndpointEntity {
  @PrimaryColumn('text', { name: 'application_id', primaryKeyConstraintName: 'logout_endpoints_pkey' })
  applicationId!: string;

  /** Which one it was: another that the application names since is not to blame. */
  @Column('text')
  uri!: string;

  /** Since the last that was taken. */
  @Column('integer')
  failures!: number;

  @Column('timestamptz', { name: 'failing_since', default: () => 'app_now()' })
  failingSince!: Date;

  @Column('timestamptz', { name: 'next_try_at' })
  nextTryAt!: Date;
}
