import { Injectable } from '@nestjs/common';
import { ApiError } from '../shared/errors.js';
import type { UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { FactorsStore } from './factors.store.js';

const LAST_FACTOR = 'COMMAND-Lf7q2';

/** Whether something was refused because it would have taken the last factor away. */
export function isLastFactor(error: unknown): boolean {
  return error instanceof ApiError && error.id === LAST_FACTOR;
}

/** Whoever must have a second factor does not take the last one away themselves: a manager can. */
@Injectable()
export class RequireFactorLeft {
  constructor(private readonly factors: FactorsStore) {}

  /** After one was removed, with the user's row locked. @throws ApiError failed-precondition, which undoes it */
  async check(tx: Tx, userId: UserId): Promise<void> {
    if (!(await this.factors.lacksRequired(tx, userId))) return;
    throw new ApiError(
      'failed-precondition',
      'The last second factor cannot be removed, because your organization requires one: add another first',
      LAST_FACTOR,
    );
  }
}
