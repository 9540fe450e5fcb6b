import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { Confirmation } from '../../../domain/authorizations/confirmation.js';
import { AuthorizationEntity } from './authorization.entity.js';

/** The family of refresh tokens of one authorization, with its absolute expiry. */
@Entity('refresh_token_families')
@ForeignKey(() => AuthorizationEntity, ['authorizationId'], ['id'], {
  name: 'refresh_token_families_authorization',
  onDelete: 'CASCADE',
})
@Index('refresh_token_families_expiry', ['absoluteExpiresAt'])
export class RefreshTokenFamilyEntity {
  @PrimaryColumn('text', {
    name: 'authorization_id',
    primaryKeyConstraintName: 'refresh_token_families_pkey',
  })
  authorizationId!: string;

  @Column('timestamptz', { name: 'absolute_expires_at' })
  absoluteExpiresAt!: Date;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  /** The DPoP key or certificate that a public client must use; the name is from a release that knew only DPoP keys. */
  @Column('text', { name: 'dpop_jkt', nullable: true })
  confirmation!: Confirmation | null;
}

/**
 * A refresh token by its hash. A family has one unused token at most, and only that one may be exchanged
 * (RFC 9700, section 4.14); a used one that comes back later is a replay.
 */
@Entity('refresh_tokens')
@ForeignKey(() => RefreshTokenFamilyEntity, ['authorizationId'], ['authorizationId'], {
  name: 'refresh_tokens_family',
  onDelete: 'CASCADE',
})
@Index('refresh_tokens_one_unused', ['authorizationId'], { unique: true, where: 'used_at IS NULL' })
@Index('refresh_tokens_by_authorization', ['authorizationId'])
@Check('refresh_tokens_successor', '(used_at IS NULL) = (successor_hash IS NULL)')
export class RefreshTokenEntity {
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'refresh_tokens_pkey' })
  hash!: Buffer;

  @Column('text', { name: 'authorization_id' })
  authorizationId!: string;

  @Column('timestamptz', { name: 'idle_expires_at' })
  idleExpiresAt!: Date;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'used_at', nullable: true })
  usedAt!: Date | null;

  @Column('bytea', { name: 'successor_hash', nullable: true })
  successorHash!: Buffer | null;

  @Column('bytea', { name: 'successor_sealed', nullable: true })
  successorSealed!: Buffer | null;

  /** When a retry with the previous token received this one; null once only one request has it. For the release before `handOuts`. */
  @Column('timestamptz', { name: 'retried_at', nullable: true })
  retriedAt!: Date | null;

  /** Requests with the previous token that received this one and have not failed; the last one that fails undoes the rotation. */
  @Column('smallint', { name: 'hand_outs', default: 1 })
  handOuts!: number;
}
