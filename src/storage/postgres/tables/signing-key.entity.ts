import type { JWK } from 'jose';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../../../domain/signing-keys/signing-key.js';
import { oneOf } from '../one-of.js';
import { DataKeyEntity } from './data-key.entity.js';
import { RotatedKey } from './rotated-key.js';

/** A key that signs tokens: next, current, previous, gone. At most one `next` and one `current` for each algorithm. */
@Entity('signing_keys')
@ForeignKey(() => DataKeyEntity, ['dataKeyId'], ['id'], { name: 'signing_keys_data_key' })
@Index('signing_keys_one_current', ['algorithm'], { unique: true, where: "state = 'current'" })
@Index('signing_keys_one_next', ['algorithm'], { unique: true, where: "state = 'next'" })
@Check('signing_keys_algorithm', `algorithm ${oneOf(SIGNING_ALGORITHMS)}`)
@Check('signing_keys_state', "state IN ('next', 'current', 'previous', 'gone')")
@Check('signing_keys_private', "state IN ('previous', 'gone') OR private_sealed IS NOT NULL")
@Check('signing_keys_sealed', '(private_sealed IS NULL) = (data_key_id IS NULL)')
export class SigningKeyEntity extends RotatedKey {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'signing_keys_pkey' })
  kid!: string;

  @Column('text')
  algorithm!: SigningAlgorithm;

  @Column('jsonb', { name: 'public_jwk' })
  publicJwk!: JWK;

  @Column('bytea', { name: 'private_sealed', nullable: true })
  privateSealed!: Buffer | null;

  @Column('integer', { name: 'data_key_id', nullable: true })
  dataKeyId!: number | null;
}
