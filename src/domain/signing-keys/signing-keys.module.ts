import { Module } from '@nestjs/common';
import { AlgorithmTakeover } from './algorithm-takeover.js';
import { AnnounceTakeover } from './announce-takeover.js';
import { ChangeKeySchedule } from './change-key-schedule.js';
import { EnsureKeys } from './ensure-keys.js';
import { KeyRing } from './key-ring.js';
import { MakeKeys } from './make-keys.js';
import { RotateKeys } from './rotate-keys.js';
import { WatchKeySet } from './watch-key-set.js';

const useCases = [
  MakeKeys,
  EnsureKeys,
  AlgorithmTakeover,
  AnnounceTakeover,
  RotateKeys,
  ChangeKeySchedule,
  KeyRing,
  WatchKeySet,
];

/** Keys that sign and seal tokens: made, rotated, read. `FollowKeys` is left to the processes, since it runs. */
@Module({ providers: useCases, exports: useCases })
export class SigningKeysModule {}
