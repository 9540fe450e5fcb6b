import { Injectable } from '@nestjs/common';
import { defaultPasswordPolicy } from '../passwords/password-policy.js';
import { SecurityPolicy } from './security-policy.js';

/** What new passwords of an organization's users must have; those that are there already stay good. */
@Injectable()
export class PasswordPolicies extends SecurityPolicy<'password'> {
  protected override readonly kind = 'password';
  protected override readonly defaults = defaultPasswordPolicy;
}
