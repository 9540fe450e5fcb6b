import { Module } from '@nestjs/common';
import { FactorsModule } from '../factors/factors.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { UsersModule } from '../users/users.module.js';
import { HandOutLink } from '../users/verification/hand-out-link.js';
import { VerificationModule } from '../users/verification/verification.module.js';
import { MakePasskeyLink } from './links/make-passkey-link.js';
import { RegisterByLink } from './links/register-by-link.js';
import { UsePasskeyLink } from './links/use-passkey-link.js';
import { ListPasskeys } from './manage/list-passkeys.js';
import { RemoveOwnPasskey } from './manage/remove-own-passkey.js';
import { RemovePasskeyOfUser } from './manage/remove-passkey-of-user.js';
import { RemovePasskey } from './manage/remove-passkey.js';
import { RenamePasskey } from './manage/rename-passkey.js';
import { PasskeyChallenges } from './passkey-challenges.js';
import { KeepPasskey } from './register/keep-passkey.js';
import { RegisterPasskey } from './register/register-passkey.js';
import { PasskeyCounter } from './show/passkey-counter.js';
import { SecondPasskey } from './show/second-passkey.js';
import { ShowPasskey } from './show/show-passkey.js';

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
