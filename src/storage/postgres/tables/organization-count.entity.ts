import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { SMS_COUNTED } from '../../../domain/statistics/counters.js';
import { oneOf } from '../one-of.js';
import { OrganizationEntity } from './organization.entity.js';

/** How often something happened in an organization, by the hour. */
@Entity('organization_counts')
@Index('organization_counts_by_hour', ['hour'])
@Index('organization_counts_of_sms', ['hour'], { where: `counted ${oneOf(SMS_COUNTED)}` })
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], {
  name: 'organization_counts_org',
  onDelete: 'CASCADE',
})
@Check('organization_counts_positive', 'count > 0')
export class OrganizationCountEntity {
  @PrimaryColumn('text', { name: 'org_id', primaryKeyConstraintName: 'organization_counts_pkey' })
  orgId!: string;

  @PrimaryColumn('timestamptz', { primaryKeyConstraintName: 'organization_counts_pkey' })
  hour!: Date;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'organization_counts_pkey' })
  counted!: string;

  @Column('bigint')
  count!: string;
}
