// SQL by hand: counters on condition
import { Injectable } from '@nestjs/common';
import type { AttemptPolicy } from '../../../domain/passwords/attempts/attempt-policy.js';
import {
  NameAttemptsStore,
  type AttemptedName,
} from '../../../domain/passwords/attempts/name-attempts.store.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';
import { parameters } from '../written.js';
import { mayAttempt } from './may-attempt.js';

const TAKE_BY = parameters([
  'place',
  'hash',
  'freeFailures',
  'firstWaitSeconds',
  'lockAfterFailures',
  'lockSeconds',
  'forgetAfterSeconds',
]);
const take = TAKE_BY.$;
const TAKE = {
  name: 'name-attempts-take',
  text: `
    INSERT INTO name_attempts AS a (place, name_hash, attempts, last_at) VALUES (${take.place}, ${take.hash}, 1, app_now())
    ON CONFLICT (place, name_hash) DO UPDATE
      SET attempts = CASE WHEN app_now() >= a.last_at + make_interval(secs => ${take.forgetAfterSeconds}) THEN 1 ELSE a.attempts + 1 END,
          last_at = app_now()
      WHERE ${mayAttempt('a.attempts', take)}`,
};
const GIVE_BACK = {
  name: 'name-attempts-give-back',
  text: `UPDATE name_attempts SET attempts = attempts - 1 WHERE place = $1 AND name_hash = $2 AND attempts > 0`,
};
const FORGET = {
  name: 'name-attempts-forget',
  text: `DELETE FROM name_attempts WHERE place = $1 AND name_hash = $2`,
};

@Injectable()
export class PgNameAttemptsStore extends NameAttemptsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async take({ place, hash }: AttemptedName, policy: AttemptPolicy): Promise<boolean> {
    return (await this.sql.change(TAKE, TAKE_BY.valuesOf({ place, hash, ...policy }))) === 1;
  }

  override async giveBack({ place, hash }: AttemptedName): Promise<void> {
    await this.sql.change(GIVE_BACK, [place, hash]);
  }

  override async forget({ place, hash }: AttemptedName, tx?: Tx): Promise<void> {
    await this.sql.change(FORGET, [place, hash], tx);
  }
}
