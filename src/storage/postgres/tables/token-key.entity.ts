import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { SigningKeyState } from '../../../domain/signing-keys/signing-key.js';
import { DataKeyEntity } from './data-key.entity.js';

/** A key that seals opaque tokens. Only the current one seals; older ones still open. */
@Entity('token_keys')
@ForeignKey(() => DataKeyEntity, ['dataKeyId'], ['id'], { name: 'token_keys_data_key' })
@Index('token_keys_one_current', ['state'], { unique: true, where: "state = 'current'" })
@Index('token_keys_one_next', ['state'], { unique: true, where: "state = 'next'" })
@Check('token_keys_state', "state IN ('next', 'current', 'previous', 'gone')")
export class TokenKeyEntity {
  @PrimaryGeneratedColumn('identity', {
    type: 'integer',
    generatedIdentity: 'BY DEFAULT',
    primaryKeyConstraintName: 'token_keys_pkey',
  })
  id!: number;

  @Column('text')
  state!: SigningKeyState;

  @Column('bytea')
  sealed!: Buffer;

  @Column('integer', { name: 'data_key_id' })
  dataKeyId!: number;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  /** When the next key takes over. */
  @Column('timestamptz', { name: 'activates_at', nullable: true })
  activatesAt!: Date | null;

  @Column('timestamptz', { name: 'current_since', nullable: true })
  currentSince!: Date | null;

  @Column('timestamptz', { name: 'previous_since', nullable: true })
  previousSince!: Date | null;

  /** When nothing that a previous key made is valid any more. */
  @Column('timestamptz', { name: 'retires_at', nullable: true })
  retiresAt!: Date | null;

  @Column('timestamptz', { name: 'gone_at', nullable: true })
  goneAt!: Date | null;

  /** Taken away by somebody: nothing it made counts for anything again. */
  @Column('timestamptz', { name: 'removed_at', nullable: true })
  removedAt!: Date | null;

  @Column('bigint', { default: 1 })
  sequence!: string;

  @Column('timestamptz', { name: 'changed_at', default: () => 'app_now()' })
  changedAt!: Date;

  /** It was put in place at once, in an emergency. */
  @Column('boolean', { name: 'by_emergency', default: false })
  byEmergency!: boolean;
}
