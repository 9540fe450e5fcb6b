import { Column } from 'typeorm';
import type { SigningKeyState } from '../../../domain/signing-keys/signing-key.js';
import { CountedChanges } from './counted-changes.js';

/** Columns of a key that is rotated: next, current, previous, gone. */
export abstract class RotatedKey extends CountedChanges {
  @Column('text')
  state!: SigningKeyState;

  /** When the next key takes over. */
  @Column('timestamptz', { name: 'activates_at', nullable: true })
  activatesAt!: Date | null;

  @Column('timestamptz', { name: 'current_since', nullable: true })
  currentSince!: Date | null;

  @Column('timestamptz', { name: 'previous_since', nullable: true })
  previousSince!: Date | null;

  /** When nothing made with a previous key is valid any more. */
  @Column('timestamptz', { name: 'retires_at', nullable: true })
  retiresAt!: Date | null;

  @Column('timestamptz', { name: 'gone_at', nullable: true })
  goneAt!: Date | null;

  /** Removed by an administrator: nothing made with it is valid. */
  @Column('timestamptz', { name: 'removed_at', nullable: true })
  removedAt!: Date | null;

  /** Activated at once, by an emergency rotation. */
  @Column('boolean', { name: 'by_emergency', default: false })
  byEmergency!: boolean;
}
