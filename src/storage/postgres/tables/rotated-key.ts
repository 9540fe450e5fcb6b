import { Column } from 'typeorm';
import type { SigningKeyState } from '../../../domain/signing-keys/signing-key.js';
import { CountedChanges } from './counted-changes.js';

/** What a key has that others take over from: next, current, previous, gone. */
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

  /** When nothing that a previous key made is valid any more. */
  @Column('timestamptz', { name: 'retires_at', nullable: true })
  retiresAt!: Date | null;

  @Column('timestamptz', { name: 'gone_at', nullable: true })
  goneAt!: Date | null;

  /** Taken away by somebody: nothing it made counts for anything again. */
  @Column('timestamptz', { name: 'removed_at', nullable: true })
  removedAt!: Date | null;

  /** It was put in place at once, in an emergency. */
  @Column('boolean', { name: 'by_emergency', default: false })
  byEmergency!: boolean;
}
