import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** Ids of objects other than users, kept after deletion, so that they are never reused. Written by triggers only. */
@Entity('known_ids')
@Check(
  'known_ids_kind',
  `kind IN ('organization', 'project', 'application', 'client', 'application_key', 'machine_key', 'project_grant')`,
)
export class KnownIdEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'known_ids_pkey' })
  id!: string;

  @Column('text')
  kind!: string;
}
