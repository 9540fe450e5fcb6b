import type { JWK } from 'jose';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { SigningAlgorithm, SigningKeyState } from '../../../domain/signing-keys/signing-key.js';
import { DataKeyEntity } from './data-key.entity.js';

/** A key that signs tokens: next, current, previous, gone. One of each of the first two per algorithm. */
@Entity('signing_keys')
@ForeignKey(() => DataKeyEntity, ['dataKeyId'], ['id'], { name: 'signing_keys_data_key' })
@Index('signing_keys_one_current', ['algorithm'], { unique: true, where: "state = 'current'" })
@Index('signing_keys_one_next', ['algorithm'], { unique: true, where: "state = 'next'" })
@Check('signing_keys_algorithm', "algorithm IN ('RS256', 'PS256', 'ES256', 'EdDSA')")
@Check('signing_keys_state', "state IN ('next', 'current', 'previous', 'gone')")
@Check('signing_keys_private', "state IN ('previous', 'gone') OR private_sealed IS NOT NULL")
@Check('signing_keys_sealed', '(private_sealed IS NULL) = (data_key_id IS NULL)')
export class SigningKeyEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'signing_keys_pkey' })
  kid!: string;

  @Column('text')
  algorithm!: SigningAlgorithm;

  @Column('text')
  state!: SigningKeyState;

  @Column('jsonb', { name: 'public_jwk' })
  publicJwk!: JWK;

  @Column('bytea', { name: 'private_sealed', nullable: true })
  privateSealed!: Buffer | null;

  @Column('integer', { name: 'data_key_id', nullable: true })
  dataKeyId!: number | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'current_since', nullable: true })
  currentSince!: Date | null;

  @Column('timestamptz', { name: 'previous_since', nullable: true })
  previousSince!: Date | null;

  @Column('timestamptz', { name: 'gone_at', nullable: true })
  goneAt!: Date | null;

  /** When the next key takes over. */
  @Column('timestamptz', { name: 'activates_at', nullable: true })
  activatesAt!: Date | null;

  /** When nothing that a previous key made is valid any more. */
  @Column('timestamptz', { name: 'retires_at', nullable: true })
  retiresAt!: Date | null;

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
