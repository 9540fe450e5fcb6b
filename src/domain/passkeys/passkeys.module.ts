import { Module } from '@nestjs/common';
import { FactorsModule } from '../factors/factors.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { UsersModule } from '../users/users.module.js';
import { HandOutLink } from '../users/verification/hand-out-link.js';
import { VerificationModule } from '../users/verification/verification.module.js';
import { KeepPasskey } from './keep-passkey.js';
import { ListPasskeys } from './list-passkeys.js';
import { MakePasskeyLink } from './make-passkey-link.js';
import { PasskeyChallenges } from './passkey-challenges.js';
import { PasskeyCounter } from './passkey-counter.js';
import { RegisterByLink } from './register-by-link.js';
import { RegisterPasskey } from './register-passkey.js';
import { RemoveOwnPasskey } from './remove-own-passkey.js';
import { RemovePasskeyOfUser } from './remove-passkey-of-user.js';
import { RemovePasskey } from './remove-passkey.js';
import { RenamePasskey } from './rename-passkey.js';
import { SecondPasskey } from './second-passkey.js';
import { ShowPasskey } from './show-passkey.js';
import { UsePasskeyLink } from './use-passkey-link.js';

const useCases = [
  PasskeyChallenges,
  KeepPasskey,
  RegisterPasskey,
  PasskeyCounter,
  ShowPasskey,
  SecondPasskey,
  ListPasskeys,
  RenamePasskey,
  RemovePasskey,
  RemoveOwnPasskey,
  RemovePasskeyOfUser,
  MakePasskeyLink,
  UsePasskeyLink,
  RegisterByLink,
];

/** Passkeys (WebAuthn Level 3): how users get them, and what is kept of them. */
@Module({
  imports: [FactorsModule, PermissionsModule, PoliciesModule, UsersModule, VerificationModule],
  providers: [...useCases, HandOutLink],
  exports: useCases,
})
export class PasskeysModule {}
