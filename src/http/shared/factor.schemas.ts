import { z } from 'zod';
import type { NewTotp } from '../../domain/factors/begin-totp.js';
import { qrCodeAddress } from '../../rendering/qr-code.js';
import { answerFrom, detailsOfChange } from './answers.js';

/** What somebody shows besides a password. Passkeys have routes of their own. */
export const factorsAnswer = z.object({
  totp: z.boolean().meta({ description: 'Whether an authenticator app is asked for at sign-in.' }),
  recoveryCodes: z.number().meta({ description: 'How many are left.' }),
});

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
