import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The one row that says since when used proofs are remembered. The table is unlogged as theirs is, so that both are emptied at
 * once: in a crash of the server, and on a standby that takes over.
 */
@Entity('used_proofs_since')
@Check('used_proofs_since_one_row', 'id')
export class UsedProofsSinceEntity {
  @PrimaryColumn('boolean', { primaryKeyConstraintName: 'used_proofs_since_pkey', default: true })
  id!: boolean;

  /** Another one each time: nonces name it. */
  @Column('uuid')
  memory!: string;

  @Column('timestamptz', { default: () => 'app_now()' })
  since!: Date;
}
