import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganizationEntity } from './organization.entity.js';

/** How often something happened in an organization, by the hour. */
@Entity('organization_counts')
@Index('organization_counts_by_hour', ['hour'])
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
