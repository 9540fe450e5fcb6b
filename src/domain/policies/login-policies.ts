import { Injectable } from '@nestjs/common';
import { defaultLoginPolicy } from './login-policy.js';
import { SecurityPolicy } from './security-policy.js';

/** What people may do on the sign-in pages of an organization's applications. */
@Injectable()
export class LoginPolicies extends SecurityPolicy<'login'> {
  protected override readonly kind = 'login';
  protected override readonly defaults = defaultLoginPolicy;
}
