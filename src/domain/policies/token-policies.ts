import { Injectable } from '@nestjs/common';
import { SecurityPolicy } from './security-policy.js';
import type { TokenPolicy } from './token-policy.js';

/** Read for the API only: issuing gets it with the application, in the round trip that finds that. */
@Injectable()
export class TokenPolicies extends SecurityPolicy<'token'> {
  protected override readonly kind = 'token';
  protected override readonly defaults: TokenPolicy = {};
}
