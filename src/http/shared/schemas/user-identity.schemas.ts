import { z } from 'zod';
import type { IdentityProviderId } from '../../../domain/shared/ids.js';
import { hasControls, NO_CONTROLS } from '../../../domain/shared/text-schemas.js';
import { idField } from './id-field.js';

function text(least: number, most: number) {
  const rule = `must have ${least} to ${most} characters`;
  return z
    .string()
    .min(least, rule)
    .max(most, rule)
    .refine((value) => !hasControls(value), NO_CONTROLS);
}

/** Who a user is at a provider, as somebody else says it. */
export const newUserIdentityBody = z
  .strictObject({
    idpId: idField<IdentityProviderId>(),
    externalUserId: text(1, 255).meta({ description: 'The subject by which the provider knows the user.' }),
    displayName: text(0, 200).default(''),
  })
  .meta({
    examples: [{ idpId: '327465982374658001', externalUserId: '110169484474386276334', displayName: 'ada' }],
  });
