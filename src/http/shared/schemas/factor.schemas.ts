import { z } from 'zod';
import type { UsableFactors } from '../../../domain/factors/factors.store.js';
import type { NewTotp } from '../../../domain/factors/totp/begin-totp.js';
import { CODE_FACTOR_KINDS } from '../../../domain/policies/factor-policy.js';
import { qrCodeAddress } from '../../../rendering/qr-code.js';
import { answerFrom, detailsOfChange } from '../answers.js';

/** What somebody shows besides a password. Passkeys have routes of their own as well. */
export const factorsAnswer = answerFrom(
  z.object({
    totp: z.boolean().meta({ description: 'Whether an authenticator app is asked for at sign-in.' }),
    passkeys: z.number().meta({ description: 'How many there are.' }),
    email: z.boolean().meta({ description: 'Whether codes are sent to the verified e-mail address.' }),
    sms: z.boolean().meta({ description: 'Whether codes are sent to the verified phone number.' }),
    recoveryCodes: z.number().meta({ description: 'How many are left.' }),
  }),
  ({ totp, passkeys, email, sms, recoveryCodes }: UsableFactors) => ({
    totp,
    passkeys,
    email,
    sms,
    recoveryCodes,
  }),
);

/** By which way codes are sent, in a path. */
export const codeKind = z.enum(CODE_FACTOR_KINDS).meta({ examples: ['email'] });

/** Answer of what sends a code. */
export const codeSentAnswer = z.object({
  sent: z
    .boolean()
    .meta({ description: 'False where it is too soon for another one, or a limit on messages is reached.' }),
});

/** Body of `factors/codes/{kind}/_finish` POST. */
export const sentCodeBody = z
  .strictObject({ code: z.string().meta({ description: 'What the message says.' }) })
  .meta({ examples: [{ code: 'EXAMPL' }] });

/** Answer of what begins to add an app. */
export const newTotpAnswer = answerFrom(
  z.object({
    secret: z.string().meta({ description: 'Base32, for whoever types it: SHA-1, six digits, 30 seconds.' }),
    uri: z.string().meta({ description: '`otpauth://totp/…`, as the QR code says it.' }),
    qrCode: z.string().meta({ description: 'The QR code as an SVG picture, for the `src` of an `<img>`.' }),
  }),
  ({ secret, address }: NewTotp) => ({ secret, uri: address, qrCode: qrCodeAddress(address) }),
);

/** Answer of what makes recovery codes: nobody can read them again. */
export const recoveryCodesAnswer = z.object({
  codes: z
    .array(z.string())
    .readonly()
    .meta({ description: 'Ten, each good once. They are shown here and never again.' }),
  details: detailsOfChange,
});

/** Body of `factors/totp/_finish` POST. */
export const totpCodeBody = z
  .strictObject({ code: z.string().meta({ description: 'What the app shows now.' }) })
  .meta({ examples: [{ code: 'EXAMPL' }] });
