import { Injectable } from '@nestjs/common';
import { defaultAttemptPolicy } from '../passwords/attempt-policy.js';
import { SecurityPolicy } from './security-policy.js';

/** How many wrong passwords an account takes, and how long it then waits. */
@Injectable()
export class LockoutPolicies extends SecurityPolicy<'lockout'> {
  protected override readonly kind = 'lockout';
  protected override readonly defaults = defaultAttemptPolicy;
}
